import type { StoreErrorKind } from '../store/store-error.ts';
import type { BucketProblem } from './bucket-thread.ts';

/** Error kinds by SQLSTATE, or by its first two characters. What is not listed is treated as a transient failure. */
const kindOfState: Readonly<Record<string, StoreErrorKind>> = {
  /** Wrong user or password. */
  '28': 'denied',
  '42501': 'denied',
  /** No such database, schema or table. */
  '3D': 'bucketMissing',
  '3F': 'bucketMissing',
  '42P01': 'bucketMissing',
  '22': 'invalid',
  '42': 'invalid',
  /** A feature that the server lacks. */
  '0A': 'invalid',
  /** The disk of the server is full. */
  '53100': 'full',
  /** Too many connections. */
  '53300': 'throttled',
  /** A statement took too long. */
  '57014': 'timeout',
};

/** What the thread responds. The driver's own error has the parameters in it, and so a chunk. */
export class PostgresProblem extends Error {
  override readonly name = 'PostgresProblem';
  readonly problem: BucketProblem;

  constructor(subject: string, error: Error) {
    super(error.message);
    const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
    const isState = /^[\dA-Z]{5}$/.test(code) && 'severity' in error;
    const kind = isState ? (kindOfState[code] ?? kindOfState[code.slice(0, 2)]) : undefined;
    const [text = ''] = (error.message === '' ? code : error.message).split('\n', 1);
    this.problem = { kind: kind ?? 'unavailable', subject, text: `PostgreSQL: ${text}` };
  }
}
