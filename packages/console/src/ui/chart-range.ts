/** How far back charts go. The leader of a cluster keeps a day. */
const ranges = {
  '1h': { title: '1 h', seconds: 3_600, words: 'last hour' },
  '6h': { title: '6 h', seconds: 21_600, words: 'last 6 hours' },
  '24h': { title: '24 h', seconds: 86_400, words: 'last day' },
} as const;

export type ChartRange = keyof typeof ranges;

export const chartRanges = Object.entries(ranges).map(([name, { title }]) => ({
  name: name as ChartRange,
  title,
}));

export const secondsOf = (range: ChartRange): number => ranges[range].seconds;

/** As the title of a chart ends: `last 6 hours`. */
export const wordsOf = (range: ChartRange): string => ranges[range].words;

interface RangeSearch {
  readonly range?: Exclude<ChartRange, '1h'> | undefined;
}

/** The range as it stands in the URL; the usual one does not. */
export const rangeSearch = (search: Record<string, unknown>): RangeSearch => ({
  range: search.range === '6h' || search.range === '24h' ? search.range : undefined,
});
