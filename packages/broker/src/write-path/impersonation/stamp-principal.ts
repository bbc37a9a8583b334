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
  /** Limit on the inflated size of the batch. */
  readonly outputBytesMax: number;
  /** Checks each record in addition, and returns a problem. */
  readonly visit?: (record: RecordCursor) => string | undefined;
  /** Whether others get their turn before the next record. */
  readonly endsTurn?: () => boolean;
}

export interface StampedRecords {
  readonly ok: true;
  /** The batch to store: a new one, or the received one if it needs no change. */
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
 * Finds the principal of every record, checks that it may write the record, and stamps its name. Limits apply to the
 * records as received and as stored. Errors of the batch itself take precedence over errors of its principals.
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

/** Like `stampPrincipal`, without blocking the serving thread. */
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
    const { recordsBytesMax, visit: check, ...limits } = this.#limits;
    const visit = (record: RecordCursor) => check?.(record) ?? this.sign(record);
    return { ...limits, outputBytesMax: recordsBytesMax, visit };
  }

  /** Result for all records. */
  walked(summary: RecordsSummary | BatchRejection): RecordsSummary | UnstampedRecords | BatchRejection {
    this.#spend();
    return summary.ok ? (this.refusal ?? summary) : summary;
  }

  signed(bytes: Buffer, { maxTimestamp }: RecordsSummary): StampedRecords {
    const batch = new RecordBatchView(bytes);
    return { ok: true, batch, recordsBytes: this.rewriter.recordsBytes, maxTimestamp };
  }

  /** Defined as soon as one record was stamped. */
  get rewriter(): HeaderRewriter {
    return this.#rewriter!;
  }

  /** Charges the uncompressed size of the batch, or the largest possible size if no record could be read. */
  #spend(): void {
    const bytes =
      this.#inflatedBytes === 0
        ? Math.min(inflatedBytesMax(this.#batch), this.#limits.recordsBytesMax)
        : Math.max(this.#inflatedBytes, this.#rewriter?.recordsBytes ?? 0);
    this.#principals.request.spend(bytes);
  }

  /** Returns what is wrong with the impersonation header of a record. */
  sign(record: RecordCursor): string | undefined {
    this.#inflatedBytes = record.totalBytes;
    if (this.refusal !== undefined) return undefined;
    const principal = this.#principals.of(record);
    if (typeof principal === 'string') return principal;
    if (!principal.mayWrite) {
      // Clients take a record error for a problem with the record's content, so this error applies to the partition
      // alone.
      const message = `record ${record.index}: ${principal.name} is not authorized to write to the topic`;
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
      ? `record has ${recordBytes} bytes including its principal header, above the limit of ${recordBytesMax}`
      : `records including principal headers exceed ${recordsBytesMax} bytes`;
    const recordErrors = isLarge ? [{ batchIndex: index, message }] : [];
    this.refusal = { ok: false, error: 'MESSAGE_TOO_LARGE', message, recordErrors };
  }
}
