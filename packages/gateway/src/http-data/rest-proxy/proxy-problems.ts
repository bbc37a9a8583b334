import { HttpProblem } from '@weir/http';
import { errorByCode, errors } from '@weir/wire';

/** Error codes of HTTP statuses. */
export const proxyErrorCodes = { 401: 40101, 403: 40301 } as const;

export function topicMissing(topic: string): HttpProblem {
  return new HttpProblem(404, `Topic ${topic} not found.`, { errorCode: 40401 });
}

export function partitionMissing(topic: string, partition: string | number): HttpProblem {
  return new HttpProblem(404, `Partition ${partition} of topic ${topic} not found.`, { errorCode: 40402 });
}

/** The problem of a request that failed as a whole with an error of Kafka about a topic. */
export function kafkaProblem(topic: string, errorCode: number): HttpProblem {
  switch (errorCode) {
    case errors.UNKNOWN_TOPIC_OR_PARTITION.code:
    case errors.UNKNOWN_TOPIC_ID.code:
    case errors.INVALID_TOPIC_EXCEPTION.code:
      return topicMissing(topic);
    case errors.TOPIC_AUTHORIZATION_FAILED.code:
      return new HttpProblem(403, `The caller is not authorized to do this with the topic ${topic}.`);
    default: {
      const { message = `Kafka error ${errorCode}.`, retriable = false } = errorByCode(errorCode) ?? {};
      return new HttpProblem(500, message, { errorCode: retriable ? 50003 : 50002 });
    }
  }
}

/** A body that is JSON but not what it should be. */
export function unprocessable(message: string, errorCode = 422): HttpProblem {
  return new HttpProblem(422, message, { errorCode });
}
