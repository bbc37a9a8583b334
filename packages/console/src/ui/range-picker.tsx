import { type ChartRange, chartRanges } from './chart-range.ts';
import { Segmented } from './segmented.tsx';

interface RangePickerProps {
  readonly value: ChartRange;
  /** `undefined` for the usual range, which the URL does not have. */
  readonly onChange: (range: Exclude<ChartRange, '1h'> | undefined) => void;
}

/** How far back the charts of a page go. */
export function RangePicker({ value, onChange }: RangePickerProps) {
  return (
    <Segmented
      label="Chart range"
      choices={chartRanges}
      value={value}
      onChange={(range) => onChange(range === '1h' ? undefined : range)}
    />
  );
}
