import type { ReactNode } from 'react';
import { type ChartRange, chartRanges } from './chart-range.ts';
import { useListSearch } from './list-page.tsx';
import { Segmented } from './segmented.tsx';

interface RangedChartsProps {
  readonly range: ChartRange;
  readonly isWide?: boolean;
  readonly children: ReactNode;
}

/** Charts of a page, and how far back they go, which the URL has. */
export function RangedCharts({ range, isWide = false, children }: RangedChartsProps) {
  const { set } = useListSearch();
  return (
    <section aria-label="Charts" className="flex flex-col gap-2">
      <div className="flex justify-end">
        <Segmented
          label="Chart range"
          choices={chartRanges}
          value={range}
          onChange={(next) => set({ range: next === '1h' ? undefined : next })}
        />
      </div>
      <div className={`grid grid-cols-1 gap-4 ${isWide ? '' : 'lg:grid-cols-2'}`}>{children}</div>
    </section>
  );
}
