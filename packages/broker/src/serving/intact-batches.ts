import { apis, decodeRequestBody, decodeRequestHeader, includesVersion, isIntactBatch } from '@weir/wire';
import { brokerLimits } from '../limits.ts';

/**
 * Whether a frame is a Produce request whose batches all match their CRCs. Anything else, and requests of very many
 * partitions, are left to the thread that serves them, which finds the answer to what is wrong.
 */
export function hasIntactBatches(frame: Buffer): boolean {
  try {
    const { api, apiVersion, bodyStart } = decodeRequestHeader(frame);
    if (api?.key !== apis.Produce.key || !includesVersion(apis.Produce.versions, apiVersion)) return false;
    const { body } = decodeRequestBody(
      apis.Produce,
      apiVersion,
      frame,
      bodyStart,
      brokerLimits.entriesPerTurnMax,
    );
    for (const { partitionData } of body.topicData) {
      for (const { records } of partitionData) if (!isIntactBatch(records)) return false;
    }
    return true;
  } catch {
    return false;
  }
}
