import type { ErrorCode } from '@weir/api';
import type {
  AskedTable,
  ClusterPort,
  TableAnswer,
  TableAnswers,
  TableQuestion,
  TableRefusal,
} from '@weir/cluster';
import type { Table } from '../../accounts/workspaces/tables.ts';
import { OperationFailed } from '../operation-failed.ts';
import { askAgent } from './event-queries.ts';

interface AskOptions {
  /** A globally unique id. */
  readonly queryId: string;
  /** Aborted when the caller disconnects. */
  readonly stop: AbortSignal;
}

/** What a leader needs to pass a question on. */
export type QuestionsPort = Pick<ClusterPort, 'runQuery' | 'cancelQuery'>;

const codes: Readonly<Record<TableRefusal, ErrorCode>> = {
  notFound: 'not_found',
  invalid: 'invalid_request',
  limit: 'limit_exceeded',
  unavailable: 'unavailable',
};

/** Has an agent of the cluster answer a question about its tables. A refusal is an `OperationFailed`. */
export async function askTables<Question extends TableQuestion>(
  port: QuestionsPort,
  question: Question,
  options: AskOptions,
): Promise<TableAnswers[Question['kind']]> {
  const answer = (await askAgent(port, question, options)) as TableAnswer<Question['kind']>;
  if (answer.kind === 'answered') return answer.answer;
  throw new OperationFailed(codes[answer.reason], answer.message);
}

export function askedTable({ name, uuid, bucketUrl }: Table): AskedTable {
  return { tableName: name, tableUuid: uuid, ...(bucketUrl === undefined ? {} : { bucketUrl }) };
}
