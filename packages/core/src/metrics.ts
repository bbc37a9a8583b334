/**
 * Metrics for operators. A metric is one row, defined where it is counted; the registry holds its series and prints
 * them in the Prometheus text format.
 */
export interface MetricRow<Label extends string = string> {
  /** Without the prefix, which `scrapedName` adds. */
  readonly name: string;
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly Label[];
  /** Upper bounds of a histogram's buckets, ascending; the unbounded one is added. */
  readonly buckets?: readonly number[];
}

export type LabelValues<Label extends string> = Readonly<Record<Label, string>>;

/** One series with fixed labels, so that counting is one addition. Store it rather than look it up each time. */
export interface Series {
  /** Adds to a counter or a gauge. */
  add(amount: number): void;
  /** Sets a gauge. */
  set(value: number): void;
  /** Adds a value to a histogram. */
  observe(value: number): void;
}

/** The name of a metric in a scrape. Those of tables have no prefix, as the interface names them. */
export function scrapedName(name: string): string {
  return name.startsWith('tableflow_') ? name : `service_${name}`;
}

/** Limit on the series of one metric, because labels may come from clients. Beyond it they share one named `other`. */
export const seriesPerMetricMax = 10_000;

export const durationBucketsSeconds: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
];

/** The current state of one series, for exporters. */
export interface SeriesReading {
  readonly labels: Readonly<Record<string, string>>;
  /** Of a counter or a gauge. */
  readonly value: number;
  /** Of a histogram: the sum of the observed values, and the count of each bucket; the last is unbounded. */
  readonly sum: number;
  readonly counts: readonly number[];
}

export interface MetricReading {
  readonly row: MetricRow;
  readonly series: readonly SeriesReading[];
}

interface StoredSeries extends Series {
  readonly labels: string;
  readonly labelValues: Readonly<Record<string, string>>;
  value: number;
  sum: number;
  counts: number[];
}

/** How old a scrape may be. */
export const scrapeIntervalMs = 1_000;

interface Family {
  readonly row: MetricRow;
  readonly series: Map<string, StoredSeries>;
}

export class Metrics {
  readonly #families = new Map<string, Family>();
  readonly #commonValues: Readonly<Record<string, string>>;
  #scraped: { readonly atMs: number; readonly body: Uint8Array } | undefined;

  /** `common` labels are added to every series that has no own label of that name. */
  constructor(common: Readonly<Record<string, string>> = {}) {
    this.#commonValues = common;
  }

  series<Label extends string>(row: MetricRow<Label>, labels: LabelValues<NoInfer<Label>>): Series {
    let family = this.#families.get(row.name);
    if (family === undefined) {
      family = { row, series: new Map() };
      this.#families.set(row.name, family);
    }
    const key = labelText(labels);
    const found = family.series.get(key);
    if (found !== undefined) return found;
    if (
      family.series.size >= seriesPerMetricMax &&
      Object.values(labels).some((value) => value !== 'other')
    ) {
      const shared = Object.fromEntries(row.labels.map((label) => [label, 'other']));
      return this.series(row, shared as LabelValues<Label>);
    }
    const made = storedSeries(key, labels, row.buckets ?? []);
    family.series.set(key, made);
    return made;
  }

  /** Removes a series, so that scrapes no longer report something that does not exist any more. */
  remove<Label extends string>(row: MetricRow<Label>, labels: LabelValues<NoInfer<Label>>): void {
    this.#families.get(row.name)?.series.delete(labelText(labels));
  }

  /** How many series each metric has. */
  seriesCounts(): { readonly name: string; readonly seriesCount: number }[] {
    return Array.from(this.#families, ([name, { series }]) => ({ name, seriesCount: series.size }));
  }

  /** The sum of a counter over all its series. */
  total(row: MetricRow): number {
    let sum = 0;
    for (const { value } of this.#families.get(row.name)?.series.values() ?? []) sum += value;
    return sum;
  }

  /** The current state of all metrics. */
  read(): MetricReading[] {
    return Array.from(this.#families.values(), ({ row, series }) => ({
      row,
      series: Array.from(series.values(), ({ labelValues, value, sum, counts }) => ({
        labels: { ...this.#commonValues, ...labelValues },
        value,
        sum,
        counts: [...counts],
      })),
    }));
  }

  /**
   * The body of a scrape response, rendered at most once a second: anyone who reaches the port may ask, and all answers
   * that wait to be read share one copy.
   */
  scrape(nowMs: number): Uint8Array {
    if (this.#scraped === undefined || nowMs - this.#scraped.atMs >= scrapeIntervalMs)
      this.#scraped = { atMs: nowMs, body: new TextEncoder().encode(this.render()) };
    return this.#scraped.body;
  }

  /** All series as text. */
  render(): string {
    const lines: string[] = [];
    for (const { row, series } of [...this.#families.values()].sort((a, b) =>
      a.row.name < b.row.name ? -1 : 1,
    )) {
      const name = scrapedName(row.name);
      lines.push(`# HELP ${name} ${row.help}`, `# TYPE ${name} ${row.kind}`);
      const common = this.#commonOf(row);
      for (const one of series.values()) lines.push(...linesOf(name, row, common, one));
    }
    return `${lines.join('\n')}\n`;
  }

  #commonOf(row: MetricRow): string {
    const entries = Object.entries(this.#commonValues).filter(([name]) => !row.labels.includes(name));
    return labelText(Object.fromEntries(entries));
  }
}

function linesOf(
  name: string,
  row: MetricRow,
  common: string,
  { labels, value, sum, counts }: StoredSeries,
): string[] {
  if (row.kind !== 'histogram') return [`${name}${braces(common, labels)} ${value}`];
  const lines: string[] = [];
  let total = 0;
  for (const [index, end] of [...(row.buckets ?? []), '+Inf'].entries()) {
    total += counts[index]!;
    lines.push(`${name}_bucket${braces(common, labels, `le="${end}"`)} ${total}`);
  }
  lines.push(
    `${name}_sum${braces(common, labels)} ${sum}`,
    `${name}_count${braces(common, labels)} ${total}`,
  );
  return lines;
}

function braces(...parts: string[]): string {
  const text = parts.filter((part) => part !== '').join(',');
  return text === '' ? '' : `{${text}}`;
}

function storedSeries(
  labels: string,
  labelValues: Readonly<Record<string, string>>,
  buckets: readonly number[],
): StoredSeries {
  return {
    labels,
    labelValues,
    value: 0,
    sum: 0,
    counts: new Array<number>(buckets.length + 1).fill(0),
    add(amount) {
      this.value += amount;
    },
    set(value) {
      this.value = value;
    },
    observe(value) {
      this.sum += value;
      let index = 0;
      while (index < buckets.length && value > buckets[index]!) index++;
      this.counts[index]!++;
    },
  };
}

function labelText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${value.replaceAll(/[\\"\n\0]/g, (char) => escapes[char]!)}"`)
    .join(',');
}

/**
 * Clients choose group names freely. A scraper may take a NUL for the end of the text, so it becomes the replacement
 * character.
 */
const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '"': '\\"',
  '\n': '\\n',
  '\0': '\ufffd',
};
