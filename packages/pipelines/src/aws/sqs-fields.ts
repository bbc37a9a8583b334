import { int } from '../component/field-types.ts';
import { sqsBatchMax } from './sqs-queue.ts';

/** Fields of components that read queues of SQS. */

export function queueUrlProblem(url: string): string | undefined {
  return /^https?:\/\//.test(url) && URL.canParse(url)
    ? undefined
    : 'has to be a URL such as https://sqs.eu-west-1.amazonaws.com/123456789012/orders';
}

export const receiveMax = int('Messages of one request, 1 to 10.')
  .or(sqsBatchMax)
  .check((count) => (count < 1 || count > sqsBatchMax ? `has to be from 1 to ${sqsBatchMax}` : undefined))
  .advanced();

export const waitSeconds = int('Seconds that a request waits for messages, up to 20.')
  .or(0)
  .check((seconds) => (seconds < 0 || seconds > 20 ? 'has to be from 0 to 20' : undefined))
  .advanced();
