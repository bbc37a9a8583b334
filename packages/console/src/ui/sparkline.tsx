interface SparklineProps {
  readonly label: string;
  readonly values: readonly (number | null)[];
}

const width = 100;
const height = 24;

/** A line without axes beside a number, from its first sample on. */
export function Sparkline({ label, values: all }: SparklineProps) {
  const values = all.slice(
    Math.max(
      0,
      all.findIndex((value) => value !== null),
    ),
  );
  const max = Math.max(1e-9, ...values.map((value) => value ?? 0));
  const step = width / Math.max(1, values.length - 1);
  const path = values
    .map((value, index) => {
      if (value === null) return '';
      const command = index === 0 || values[index - 1] === null ? 'M' : 'L';
      return `${command}${(index * step).toFixed(1)} ${(height - 1 - (value / max) * (height - 2)).toFixed(1)}`;
    })
    .join('');
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      className="h-6 w-full text-accent"
    >
      <path d={path} fill="none" stroke="currentColor" strokeWidth="1.5" vectorEffect="non-scaling-stroke" />
    </svg>
  );
}
