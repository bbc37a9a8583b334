import { type CompiledScan, compileScan, type Scan, type ScanResult } from './scan.ts';
import { type PagesPart, scanPages } from './scan-pages.ts';
import { type StripePart, scanStripe } from './scan-stripe.ts';

export type ScanPart = PagesPart | StripePart;

/** Scans parts of the log, on this thread or on others. The buffers of a part are unusable afterwards. */
export interface Evaluator {
  /** How many parts it can scan at a time. */
  readonly parallelism: number;
  scan(scan: Scan, part: ScanPart): Promise<ScanResult>;
}

/** Scans parts on the calling thread. */
export function createInlineEvaluator(): Evaluator {
  const scanPart = createScanner();
  return { parallelism: 1, scan: async (scan, part) => scanPart(scan, part) };
}

/** Creates a scanner that caches the filters that it compiled last. */
export function createScanner(): (scan: Scan, part: ScanPart) => ScanResult {
  const compiled = new Map<string, CompiledScan>();
  return (scan, part) => {
    if (part.kind === 'stripe') return scanStripe(scan, part);
    const known = compiled.get(scan.id);
    if (known !== undefined) return scanPages({ ...known, ...scan }, part);
    const [oldest] = compiled.keys();
    if (compiled.size >= compiledMax) compiled.delete(oldest!);
    const fresh = compileScan(scan);
    compiled.set(scan.id, fresh);
    return scanPages(fresh, part);
  };
}

const compiledMax = 16;
