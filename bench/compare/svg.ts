import type { Spread } from './spread.ts';

/** A horizontal bar with a whisker from the smallest to the largest run. */
export interface ChartBar {
  readonly label: string;
  /** Which of the four colours. */
  readonly tone: 0 | 1 | 2 | 3 | 4;
  readonly spread: Spread;
}

export interface ChartGroup {
  readonly label: string;
  readonly bars: readonly ChartBar[];
}

export interface Chart {
  readonly title: string;
  readonly unit: string;
  readonly groups: readonly ChartGroup[];
  /** For values that differ by orders of magnitude. */
  readonly isLogarithmic?: boolean;
}

const width = 760;
const labelWidth = 190;
const valueWidth = 170;
const barHeight = 16;
const barGap = 5;
const groupGap = 14;
const headHeight = 34;
const textHeight = 20;

/** Colours of the page are unknown, so that the chart brings its own background for light and for dark. */
const style = `
  text { font: 12px system-ui, sans-serif; fill: #24292f }
  .title { font-weight: 600; font-size: 14px }
  .group { font-weight: 600 }
  .back { fill: #ffffff }
  .whisker { stroke: #24292f; stroke-width: 1.5 }
  .tone0 { fill: #8c959f } .tone1 { fill: #c9ced4 } .tone2 { fill: #0969da } .tone3 { fill: #1a9e6c }
  .tone4 { fill: #bf8700 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .back { fill: #0d1117 }
    .whisker { stroke: #e6edf3 }
    .tone0 { fill: #6e7681 } .tone1 { fill: #484f58 } .tone2 { fill: #388bfd } .tone3 { fill: #2ea97c }
    .tone4 { fill: #d29922 }
  }`;

export function svgOf({ title, unit, groups, isLogarithmic = false }: Chart): string {
  const spreads = groups.flatMap(({ bars }) => bars.map(({ spread }) => spread));
  const scale = scaleOf(spreads, width - labelWidth - valueWidth, isLogarithmic);
  const parts: string[] = [];
  let y = headHeight;
  for (const group of groups) {
    parts.push(`<text class="group" x="12" y="${y + 13}">${markup(group.label)}</text>`);
    y += textHeight;
    for (const { label, tone, spread } of group.bars) {
      const [end, low, high] = [spread.median, spread.min, spread.max].map(
        (value) => labelWidth + scale(value),
      );
      const middle = y + barHeight / 2;
      parts.push(
        `<text x="${labelWidth - 8}" y="${y + 12}" text-anchor="end">${markup(label)}</text>`,
        `<rect class="tone${tone}" x="${labelWidth}" y="${y}" width="${round(end! - labelWidth)}" height="${barHeight}" rx="2"/>`,
        `<line class="whisker" x1="${round(low!)}" y1="${middle}" x2="${round(high!)}" y2="${middle}"/>`,
        `<text x="${round(Math.max(end!, high!) + 8)}" y="${y + 12}">${markup(spreadText(spread, unit))}</text>`,
      );
      y += barHeight + barGap;
    }
    y += groupGap;
  }
  const head = isLogarithmic ? `${title} (${unit}, logarithmic)` : `${title} (${unit})`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${y}" viewBox="0 0 ${width} ${y}" role="img">`,
    `<title>${markup(head)}</title>`,
    `<style>${style}\n</style>`,
    `<rect class="back" width="${width}" height="${y}" rx="6"/>`,
    `<text class="title" x="12" y="22">${markup(head)}</text>`,
    ...parts,
    '</svg>\n',
  ].join('\n');
}

/** Returns the length of a bar. A logarithmic scale begins one power of ten below the smallest value. */
function scaleOf(
  spreads: readonly Spread[],
  length: number,
  isLogarithmic: boolean,
): (value: number) => number {
  const max = Math.max(...spreads.map((spread) => spread.max), Number.MIN_VALUE);
  if (!isLogarithmic) return (value) => (length * value) / max;
  const smallest = Math.min(...spreads.map(({ min }) => min).filter((value) => value > 0), max);
  const start = 10 ** (Math.floor(Math.log10(smallest)) - 1);
  const decades = Math.log10(max / start);
  return (value) => (length * Math.log10(Math.max(value, start) / start)) / decades;
}

/** `3.31 s/GB (3.2–3.4)`, without a range if there was one run. */
export function spreadText({ median, min, max, runs }: Spread, unit: string): string {
  const text = `${digits(median)} ${unit}`.trimEnd();
  return runs === 1 ? text : `${text} (${digits(min)}–${digits(max)})`;
}

/** About three digits, because a shared machine is not more precise. */
export function digits(value: number): string {
  return value.toFixed(value >= 100 || Number.isInteger(value) ? 0 : value >= 10 ? 1 : 2);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function markup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
