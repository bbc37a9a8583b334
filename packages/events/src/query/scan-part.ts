import type { EventSource, RawPage } from '../event-source.ts';
import { eventLimits } from '../limits.ts';
import type { Footer } from '../sidecar/format.ts';
import { readFooter } from '../sidecar/read-footer.ts';
import type { QueryCache } from './cache.ts';
import type { Evaluator } from './evaluator.ts';
import { halves, type Part, type RawRange, type SidecarRange, type StripeRange, stripesOf } from './parts.ts';
import { readChunks } from './read-chunks.ts';
import { rangesOver } from './read-rows.ts';
import type { Receipt } from './receipt.ts';
import { cacheableResult, joinResults } from './results.ts';
import type { Scan, ScanResult } from './scan.ts';
import { chunksWanted } from './scan-stripe.ts';

export interface ScanTools {
  readonly source: EventSource;
  readonly evaluator: Evaluator;
  readonly cache: QueryCache;
  readonly receipt: Receipt;
  readonly blockEvents: number;
  readonly signal: AbortSignal;
  /** Reports that a sidecar could not be read. The records are read instead. */
  onProblem(error: Error): void;
}

/** The outcome of scanning a part: its result, or finer parts. */
type PartOutcome = { readonly parts: readonly Part[] } | { readonly result: ScanResult };

export async function scanPart(scan: Scan, part: Part, tools: ScanTools): Promise<PartOutcome> {
  if (part.kind === 'raw') return scanRecordPart(scan, part, tools);
  try {
    return part.kind === 'sidecar'
      ? { parts: await stripesIn(part, tools) }
      : await scanStripePart(scan, part, tools);
  } catch (error) {
    return { parts: [recordsInstead(part, error, tools)] };
  }
}

/** Returns the parts of a sidecar that may have events in the window, before any of them is scanned. */
export async function openParts(part: SidecarRange, tools: ScanTools): Promise<readonly Part[]> {
  try {
    return await stripesIn(part, tools);
  } catch (error) {
    return [recordsInstead(part, error, tools)];
  }
}

/** Returns the same events as ranges of records, for a sidecar that cannot be read. */
function recordsInstead(
  { topic, fromOffset, toOffset, earliestMs, latestMs }: SidecarRange | StripeRange,
  error: unknown,
  { signal, onProblem }: ScanTools,
): RawRange {
  if (signal.aborted || !(error instanceof Error)) throw error;
  onProblem(error);
  return { kind: 'raw', topic, fromOffset, toOffset, earliestMs, latestMs };
}

async function stripesIn(
  part: SidecarRange,
  { source, cache, receipt, signal }: ScanTools,
): Promise<StripeRange[]> {
  const key = `footer ${part.ref.id}`;
  let footer = cache.get<Footer>(key);
  if (footer === undefined) {
    const read = await readFooter(source, part.ref, signal);
    receipt.addRead(read.bytesRead);
    footer = read.footer;
    cache.set(key, footer, 8 * read.bytesRead);
  }
  return stripesOf(part, footer);
}

async function scanStripePart(scan: Scan, part: StripeRange, tools: ScanTools): Promise<PartOutcome> {
  const { topic, ref, stripe, fromOffset, toOffset } = part;
  const key = `stripe ${ref.id} ${fromOffset} ${toOffset} ${scan.id}`;
  const known = recall(scan, key, tools);
  if (known !== undefined) return { result: known };

  const chunks = chunksWanted(scan, stripe, topic.type);
  if (chunks === undefined) return { parts: [] };
  const { source, evaluator, receipt, signal } = tools;
  const { stored, bytesRead } = await readChunks(source, ref, chunks, signal);
  receipt.addRead(bytesRead);
  const { type } = topic;
  const scanned = await evaluator.scan(scan, {
    kind: 'stripe',
    type,
    stripe,
    chunks: stored,
    fromOffset,
    toOffset,
  });
  const results: ScanResult[] = [scanned];
  for (const range of rangesOver(scanned.unsure)) {
    const only = scanned.unsure.filter((offset) => offset >= range.from && offset < range.to);
    const isWhole = only.length === range.to - range.from;
    const decided = await scanRecords(
      scan,
      { ...part, fromOffset: range.from, toOffset: range.to },
      tools,
      isWhole ? undefined : only,
    );
    results.push(...decided.map((result) => ({ ...result, scanned: 0 })));
  }
  return { result: remember(scan, key, joinResults(scan, results), tools) };
}

async function scanRecordPart(scan: Scan, part: RawRange, tools: ScanTools): Promise<PartOutcome> {
  const split = await halves(
    part,
    tools.source,
    scan.timeline === undefined ? scan.order : undefined,
    tools.blockEvents,
  );
  if (split !== undefined) return { parts: split };
  const { topic, fromOffset, toOffset } = part;
  const { blockEvents } = tools;
  // A partial block would have other bounds in the next query.
  const isWhole = fromOffset % blockEvents === 0 && toOffset - fromOffset === blockEvents;
  const key = `records ${topic.topicId} ${fromOffset} ${toOffset} ${scan.id}`;
  const known = isWhole ? recall(scan, key, tools) : undefined;
  if (known !== undefined) return { result: known };
  const result = joinResults(scan, await scanRecords(scan, part, tools, undefined));
  if (isWhole) return { result: remember(scan, key, result, tools) };
  tools.receipt.addScanned(result);
  return { result };
}

/** Scans records in pieces of bounded size. */
async function scanRecords(
  scan: Scan,
  { topic, fromOffset, toOffset }: Pick<RawRange, 'topic' | 'fromOffset' | 'toOffset'>,
  { source, evaluator, receipt, signal }: ScanTools,
  only: readonly number[] | undefined,
): Promise<ScanResult[]> {
  const results: ScanResult[] = [];
  let pages: RawPage[] = [];
  let bytes = 0;
  for await (const page of source.read(topic, fromOffset, toOffset, signal)) {
    receipt.addRead(page.storedBytes);
    pages.push(page);
    bytes += page.bytes.length;
    if (bytes >= eventLimits.eventScanBytesMax) await scanPieces();
    if (receipt.exhausted !== undefined) break;
  }
  signal.throwIfAborted();
  if (pages.length > 0) await scanPieces();
  return results;

  async function scanPieces(): Promise<void> {
    signal.throwIfAborted();
    const piece = { kind: 'pages' as const, type: topic.type, pages, fromOffset, toOffset, only };
    pages = [];
    bytes = 0;
    results.push(await evaluator.scan(scan, piece));
  }
}

/** Returns the cached result of an earlier query, if it is valid for this window too. */
function recall(scan: Scan, key: string, { cache, receipt }: ScanTools): ScanResult | undefined {
  if (scan.after !== undefined) return undefined;
  const known = cache.get<ScanResult>(key);
  if (known === undefined) return undefined;
  const { startMs, endMs } = scan.window;
  if (known.matched > 0 && (known.minTimeMs < startMs || known.maxTimeMs >= endMs)) return undefined;
  receipt.addCached(known);
  return known;
}

function remember(scan: Scan, key: string, result: ScanResult, { cache, receipt }: ScanTools): ScanResult {
  receipt.addScanned(result);
  if (scan.after !== undefined || result.isClipped || receipt.exhausted !== undefined) return result;
  const { result: cacheable, bytes } = cacheableResult(result);
  cache.set(key, cacheable, bytes);
  return result;
}
