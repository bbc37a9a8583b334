import { HttpProblem } from '@weir/http';
import { errorByCode, errors } from '@weir/wire';
import { kafkaProblem } from '../proxy-problems.ts';

export function instanceMissing(): HttpProblem {
  return new HttpProblem(404, 'Consumer instance not found.', { errorCode: 40403 });
}

export function instanceExists(): HttpProblem {
  return new HttpProblem(
    409,
    'Consumer with specified consumer ID already exists in the specified consumer group.',
    { errorCode: 40902 },
  );
}

/** A read of a topic by a consumer that is not subscribed to that topic alone. */
export function otherSubscription(): HttpProblem {
  return new HttpProblem(
    409,
    'Consumer cannot subscribe to the specified target because it has already subscribed to other topics.',
    { errorCode: 40901 },
  );
}

/** A request that does not fit what the consumer is subscribed to or has been assigned. */
export function illegalState(message: string): HttpProblem {
  return new HttpProblem(409, `Illegal state: ${message}`, { errorCode: 40903 });
}

export function formatMismatch(format: string): HttpProblem {
  return new HttpProblem(
    406,
    `The consumer instance has the format ${format}, which Accept does not allow.`,
    {
      errorCode: 40601,
    },
  );
}

/** A record that is not what the format of the consumer says. */
export function undecodable(message: string): HttpProblem {
  return new HttpProblem(408, message, { errorCode: 40801 });
}

export function invalidConfig(message: string): HttpProblem {
  return new HttpProblem(422, `Invalid consumer configuration: ${message}`, { errorCode: 42204 });
}

/** The problem of a request about a group. `topic` is that of the partition that has the error. */
export function groupProblem(groupId: string, errorCode: number, topic?: string): HttpProblem {
  if (errorCode === errors.GROUP_AUTHORIZATION_FAILED.code)
    return new HttpProblem(403, `The caller is not authorized to do this with the group ${groupId}.`);
  if (topic !== undefined) return kafkaProblem(topic, errorCode);
  const { message = `Kafka error ${errorCode}.`, retriable = false } = errorByCode(errorCode) ?? {};
  return new HttpProblem(500, message, { errorCode: retriable ? 50003 : 50002 });
}
