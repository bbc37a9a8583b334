import { type AcknowledgedPartition, acknowledgeTypes } from '@weir/cluster';
import type { Apis, ErrorName, RequestOf } from '@weir/wire';
import type { TopicRefusals } from '../topics/topic-refusals.ts';

type Topics = RequestOf<Apis['ShareAcknowledge']>['topics'];
type Batches = Topics[number]['partitions'][number]['acknowledgementBatches'];

/** The acknowledgements of a request for one partition. */
export interface PartitionAcknowledgements {
  readonly topicId: string;
  readonly partition: number;
  /** `undefined` if it is invalid or refused. */
  readonly acknowledged: AcknowledgedPartition | undefined;
  /** Why nothing is done, if not because of its content. */
  readonly refusal?: ErrorName;
}

/** The last type that clients may send, and only if they announce it (`isRenewAck`). */
const renewCode = acknowledgeTypes.indexOf('renew');

/** Returns the partitions with acknowledgements in a request, in order. */
export function acknowledgementsOf(topics: Topics, isRenewAck: boolean): PartitionAcknowledgements[] {
  return topics.flatMap(({ topicId, partitions }) =>
    partitions
      .filter(({ acknowledgementBatches }) => acknowledgementBatches.length > 0)
      .map(({ partitionIndex, acknowledgementBatches }) => {
        const rows = rowsOf(acknowledgementBatches, isRenewAck ? renewCode : renewCode - 1);
        const place = { topicId, partition: partitionIndex };
        return { ...place, acknowledged: rows === undefined ? undefined : { ...place, ...rows } };
      }),
  );
}

/** Marks acknowledgements of topics that the client may not use as refused. */
export function permittedOf(
  acknowledgements: readonly PartitionAcknowledgements[],
  refusalOf: TopicRefusals,
): PartitionAcknowledgements[] {
  return acknowledgements.map((one) => {
    const refusal = refusalOf(one.topicId);
    return refusal === undefined ? one : { ...one, acknowledged: undefined, refusal };
  });
}

/** Converts batches to runs of one type; `undefined` if they overlap, go back, or have types that do not match. */
function rowsOf(
  batches: Batches,
  codeMax: number,
): Pick<AcknowledgedPartition, 'firstOffset' | 'lastOffset' | 'type'> | undefined {
  const firsts: number[] = [];
  const lasts: number[] = [];
  const types: number[] = [];
  let before = -1;
  for (const { firstOffset, lastOffset, acknowledgeTypes: codes } of batches) {
    const first = Number(firstOffset);
    const last = Number(lastOffset);
    const fits = codes.length === 1 || codes.length === last - first + 1;
    if (first <= before || last < first || !fits) return undefined;
    if (codes.some((code) => code < 0 || code > codeMax)) return undefined;
    before = last;
    for (const [index, code] of codes.entries()) {
      const isSame = index > 0 && codes[index - 1] === code;
      const end = codes.length === 1 ? last : first + index;
      if (isSame) lasts[lasts.length - 1] = end;
      else {
        firsts.push(first + index);
        lasts.push(end);
        types.push(code);
      }
    }
  }
  return {
    firstOffset: Float64Array.from(firsts),
    lastOffset: Float64Array.from(lasts),
    type: Uint8Array.from(types),
  };
}
