interface ShareBarProps {
  /** From 0 to 1. */
  readonly share: number;
}

/** A bar as long as a share. The number stands beside it, so that screen readers skip the bar. */
export function ShareBar({ share }: ShareBarProps) {
  return (
    <span aria-hidden="true" className="block h-2 w-full overflow-hidden rounded bg-hover">
      <span
        className="block h-full rounded bg-series-1"
        style={{ width: `${Math.min(100, Math.max(0, share * 100))}%` }}
      />
    </span>
  );
}
