import type { ScanPart } from './evaluator.ts';
import type { Scan, ScanResult } from './scan.ts';

export interface WorkerQuestion {
  readonly scan: Scan;
  readonly part: ScanPart;
}

export type WorkerAnswer = { readonly result: ScanResult } | { readonly problem: string };
