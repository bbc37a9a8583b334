import {
  type BatchRejection,
  type ErrorName,
  HeaderRewriter,
  RecordBatchView,
  type RecordCursor,
  type RecordError,
  type RecordRules,
  type RecordsSummary,
  validateBatchRecords,
  validateBatchRecordsOffThread,
} from '@weir/wire';
import { inflatedBytesMax } from '../../inflation/inflated-size.ts';
import type { TopicPrincipals } from './request-principals.ts';

export interface RecordLimits {
  readonly recordBytesMax: number;
  readonly requiresKeys: boolean;
  /** How far the batch may inflate. */
  readonly outputBytesMax: number;
}

export interface StampedRecords {
  readonly ok: true;
  /** What is to be stored: a new batch, or the one that came when it needed no change. */
  readonly batch: RecordBatchView;
  readonly recordsBytes: number;
  readonly maxTimestamp: bigint;
}

export interface UnstampedRecords {
  readonly ok: false;
  readonly error: ErrorName;
  readonly message: string;
  readonly recordErrors: readonly RecordError[];
}

/**
 * Finds the principal of every record, asks whether he may write it, and puts his name on it. Limits hold for the records as they
 * came and as they will be stored. What is wrong with a batch whoever wrote it goes before what is wrong with its principals.
 */
export function stampPrincipal(
  batch: RecordBatchView,
  limits: RecordLimits,
  principals: TopicPrincipals,
): StampedRecords | UnstampedRecords | BatchRejection {
  const signing = new Signing(batch, principals, limits);
  const walked = signing.walked(validateBatchRecords(batch, signing.rules));
  return walked.ok ? signing.signed(signing.rewriter.finish(), walked) : walked;
}

/** The same without holding up others. */
export async function stampPrincipalOffThread(
  batch: RecordBatchView,
  limits: RecordLimits,
  principals: TopicPrincipals,
  pause: () => Promise<void>,
): Promise<StampedRecords | UnstampedRecords | BatchRejection> {
  const signing = new Signing(batch, principals, limits);
  const walked = signing.walked(await validateBatchRecordsOffThread(batch, signing.rules, pause));
  return walked.ok ? signing.signed(await signing.rewriter.finishOffThread(), walked) : walked;
}

class Signing {
  refusal: UnstampedRecords | undefined;
  readonly #batch: RecordBatchView;
  readonly #principals: TopicPrincipals;
  readonly #limits: RecordLimits & { readonly recordsBytesMax: number };
  #inflatedBytes = 0;
  #rewriter: HeaderRewriter | undefined;

  constructor(batch: RecordBatchView, principals: TopicPrincipals, limits: RecordLimits) {
    this.#batch = batch;
    this.#principals = principals;
    const recordsBytesMax = Math.min(limits.outputBytesMax, principals.request.bytesLeft);
    this.#limits = { ...limits, recordsBytesMax };
  }

  get rules(): RecordRules {
    const { recordBytesMax, requiresKeys, recordsBytesMax } = this.#limits;
    const visit = (record: RecordCursor) => this.sign(record);
    return { recordBytesMax, requiresKeys, outputBytesMax: recordsBytesMax, visit };
  }

  /** What became of all records. */
  walked(summary: RecordsSummary | BatchRejection): RecordsSummary | UnstampedRecords | BatchRejection {
    this.#spend();
    return summary.ok ? (this.refusal ?? summary) : summary;
  }

  signed(bytes: Buffer, { maxTimestamp }: RecordsSummary): StampedRecords {
    const batch = new RecordBatchView(bytes);
    return { ok: true, batch, recordsBytes: this.rewriter.recordsBytes, maxTimestamp };
  }

  /** There is one as soon as a record was signed. */
  get rewriter(): HeaderRewriter {
    return this.#rewriter!;
  }

  /** Takes what the batch has cost, without compression; as much as it could when none of its records could be read. */
  #spend(): void {
    const bytes =
      this.#inflatedBytes === 0
        ? Math.min(inflatedBytesMax(this.#batch), this.#limits.recordsBytesMax)
        : Math.max(this.#inflatedBytes, this.#rewriter?.recordsBytes ?? 0);
    this.#principals.request.spend(bytes);
  }

  /** Says what is wrong with how a record names its principal. */
  sign(record: RecordCursor): string | undefined {
    this.#inflatedBytes = record.totalBytes;
    if (this.refusal !== undefined) return undefined;
    const principal = this.#principals.of(record);
    if (typeof principal === 'string') return principal;
    if (!principal.mayWrite) {
      // Clients take an error of records for one of their content, so that this one is of the partition alone.
      const message = `record ${record.index}: ${principal.name} may not write to the topic`;
      this.refusal = { ok: false, error: 'TOPIC_AUTHORIZATION_FAILED', message, recordErrors: [] };
      return undefined;
    }
    this.#rewriter ??= new HeaderRewriter(this.#batch, {
      recordsBytes: record.totalBytes,
      addedBytes: principal.change.added?.length ?? 0,
      recordsBytesMax: this.#limits.recordsBytesMax,
    });
    const recordBytes = this.#rewriter.append(record, principal.change);
    this.#checkSize(record.index, recordBytes, this.#rewriter.recordsBytes);
    return undefined;
  }

  #checkSize(index: number, recordBytes: number, recordsBytes: number): void {
    const { recordBytesMax, recordsBytesMax } = this.#limits;
    const isLarge = recordBytes > recordBytesMax;
    if (!isLarge && recordsBytes <= recordsBytesMax) return;
    const message = isLarge
      ? `record has ${recordBytes} bytes with the header of its principal and ${recordBytesMax} are allowed`
      : `records have more than ${recordsBytesMax} bytes with the headers of their principals`;
    const recordErrors = isLarge ? [{ batchIndex: index, message }] : [];
    this.refusal = { ok: false, error: 'MESSAGE_TOO_LARGE', message, recordErrors };
  }
}
