import { useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { formatShort, formatTime } from '../format/format.ts';
import { visibleText } from '../format/visible-text.ts';

export interface Series {
  readonly label: string;
  /** One value per time; a missing one leaves a gap. */
  readonly values: readonly (number | null)[];
}

interface ChartProps {
  /** What the chart shows, for screen readers: `Records per second`. */
  readonly label: string;
  readonly timesMs: readonly number[];
  readonly series: readonly Series[];
  readonly kind?: 'lines' | 'bars';
  readonly heightPx?: number;
  readonly zone?: 'local' | 'utc';
  readonly format?: (value: number) => string;
  /** Bytes have their grid at powers of two, so that labels are round. */
  readonly unit?: 'count' | 'bytes';
  /** Dragging over the chart selects a time range. Without it nothing can be selected. */
  readonly onSelect?: (fromMs: number, toMs: number) => void;
  /** A time range that is marked. */
  readonly selected?: readonly [fromMs: number, toMs: number];
}

const seriesColours = 8;
const barGap = 0.8;
const powersOfTwo = Array.from({ length: 61 }, (_, exponent) => 2 ** exponent);

/** Lines or stacked bars over time. The legend has the values under the pointer, and the latest without one. */
export function Chart(props: ChartProps) {
  const { label, timesMs, series, kind = 'lines', heightPx = 180 } = props;
  const element = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const plot = useRef<uPlot>(undefined);
  const dark = useDarkness();
  const shape = `${kind} ${heightPx} ${dark} ${props.zone} ${series.map((one) => one.label).join('\n')}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new shape needs a new plot; new values only new data.
  useEffect(() => {
    const parent = element.current!;
    const drawn = new uPlot(optionsOf(latest, parent), dataOf(latest.current), parent);
    plot.current = drawn;
    const observer = new ResizeObserver(() => {
      drawn.setSize({ width: parent.clientWidth, height: heightPx });
      mark(drawn, latest.current.selected);
    });
    observer.observe(parent);
    return () => {
      observer.disconnect();
      drawn.destroy();
    };
  }, [shape]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the data are what changed.
  useEffect(() => plot.current?.setData(dataOf(latest.current)), [timesMs, series]);
  const [fromMs, toMs] = props.selected ?? [];
  // biome-ignore lint/correctness/useExhaustiveDependencies: where the marked range is depends on all of these.
  useEffect(() => mark(plot.current!, latest.current.selected), [fromMs, toMs, timesMs, series, shape]);
  return <div ref={element} role="img" aria-label={label} className="min-w-0 overflow-hidden" />;
}

type Latest = { readonly current: ChartProps };

function optionsOf(latest: Latest, parent: HTMLElement): uPlot.Options {
  const { series, kind = 'lines', heightPx = 180, zone = 'local', unit, onSelect } = latest.current;
  const colour = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name);
  const axis = {
    stroke: colour('--n-10'),
    grid: { stroke: colour('--n-4'), width: 1 },
    ticks: { show: false },
    font: '12px "Inter Variable", sans-serif',
  };
  const format = (value: number) => (latest.current.format ?? formatShort)(value);
  return {
    width: parent.clientWidth,
    height: heightPx,
    ...(zone === 'utc'
      ? { tzDate: (seconds: number) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC') }
      : {}),
    cursor: { drag: { x: onSelect !== undefined, y: false, setScale: false }, points: { size: 6 } },
    legend: { live: true },
    scales: {
      // A bar stands right of its time, also the last one.
      x: { range: (_, min, max) => [min, kind === 'bars' ? max + stepSeconds(latest.current) : max] },
      y: { range: (_, min, max) => [Math.min(0, min), max > 0 ? max * 1.05 : 1] },
    },
    axes: [
      { ...axis, space: 72, size: 32, values: timeLabels(zone) },
      {
        ...axis,
        size: 56,
        values: (_: uPlot, values: number[]) => values.map(format),
        ...(unit === 'bytes' ? { incrs: powersOfTwo } : {}),
      },
    ],
    series: [
      {
        value: (_: uPlot, seconds: number | null) =>
          seconds === null ? '–' : formatTime(seconds * 1000, zone),
      },
      ...series.map(({ label }, index) => {
        const stroke = colour(`--series-${(index % seriesColours) + 1}`);
        return {
          label: visibleText(label),
          stroke,
          width: kind === 'bars' ? 0 : 1.5,
          points: { show: false },
          value: (_: uPlot, __: number | null, ___: number, at: number | null) => {
            const value = at === null ? null : latest.current.series[index]?.values[at];
            return value === null || value === undefined ? '–' : format(value);
          },
          ...(kind === 'bars'
            ? { fill: stroke, paths: uPlot.paths.bars!({ size: [barGap, 64], align: 1 }) }
            : {}),
        };
      }),
    ],
    hooks: {
      ready: [showLatest],
      setData: [showLatest],
      setCursor: [showLatest],
      setSelect: [
        (plot) => {
          const { left, width } = plot.select;
          if (width === 0) return;
          const timeMs = (px: number) => Math.round(plot.posToVal(px, 'x') * 1000);
          latest.current.onSelect?.(timeMs(left), timeMs(left + width));
          mark(plot, latest.current.selected);
        },
      ],
    },
  };
}

/** Puts the newest values into the legend while the pointer is elsewhere. */
function showLatest(plot: uPlot): void {
  if ((plot.cursor.left ?? -1) >= 0) return;
  const [times, ...series] = plot.data;
  const newest = times.findLastIndex((_, at) => series.some((values) => isNumber(values[at])));
  if (newest >= 0) plot.setLegend({ idx: newest });
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number';
}

/** Marks a time range, or nothing. */
function mark(plot: uPlot, range: readonly [number, number] | undefined): void {
  const [left, right] = range?.map((ms) => plot.valToPos(ms / 1000, 'x')) ?? [0, 0];
  const height = range === undefined ? 0 : plot.over.clientHeight;
  plot.setSelect({ left: left!, top: 0, width: Math.max(0, right! - left!), height }, false);
}

/** The time from one value to the next. */
function stepSeconds({ timesMs: [first, second] }: ChartProps): number {
  return first === undefined || second === undefined ? 1 : (second - first) / 1000;
}

/** Times of day, with seconds where labels are closer than a minute, and the day where it begins. */
function timeLabels(zone: 'local' | 'utc') {
  return (_: uPlot, splits: number[], __: number, ___: number, stepSeconds: number) =>
    splits.map((seconds) => {
      const text = formatTime(seconds * 1000, zone);
      return text.endsWith('00:00:00') ? text.slice(5, 10) : text.slice(11, stepSeconds < 60 ? 19 : 16);
    });
}

/** Bars stand on each other: the first series is drawn as the sum of all, and the next ones before it. */
function dataOf({ timesMs, series, kind = 'lines' }: ChartProps): uPlot.AlignedData {
  const times = timesMs.map((timeMs) => timeMs / 1000);
  if (kind === 'lines') return [times, ...series.map(({ values }) => [...values])];
  const sums = times.map(() => 0);
  const stacked = series
    .toReversed()
    .map(({ values }) => times.map((_, at) => (sums[at]! += values[at] ?? 0)))
    .toReversed();
  return [times, ...stacked];
}

/** Whether the page is dark now: colours of a canvas do not follow by themselves. */
function useDarkness(): boolean {
  const [isDark, setDark] = useState(() => document.documentElement.classList.contains('dark'));
  useEffect(() => {
    const observer = new MutationObserver(() => setDark(document.documentElement.classList.contains('dark')));
    observer.observe(document.documentElement, { attributeFilter: ['class'] });
    return () => observer.disconnect();
  }, []);
  return isDark;
}
