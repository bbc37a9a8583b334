import { Sparkline } from '../../ui/sparkline.tsx';

interface FigureProps {
  readonly name: string;
  /** `undefined` until it is known. */
  readonly value: string | undefined;
  readonly unit: string;
  /** Of the last hour; absent if it is not known over time. */
  readonly values?: readonly (number | null)[];
}

/** A number, and its last hour. */
export function Figure({ name, value, unit, values }: FigureProps) {
  return (
    <div className="rounded-md border border-line bg-surface px-4 py-3">
      <dt className="text-xs text-muted">{name}</dt>
      <dd>
        <span className="text-2xl font-semibold text-ink tabular-nums">
          {value ?? '…'}
          {value !== undefined && value !== '–' && (
            <span className="ml-1 text-sm font-normal text-muted">{unit}</span>
          )}
        </span>
        {values !== undefined && (
          <div className="mt-1 h-6">
            {values.some((one) => one !== null) && <Sparkline label={`${name}, last hour`} values={values} />}
          </div>
        )}
      </dd>
    </div>
  );
}
