import type { ErrorCode } from '@weir/api';
import type {
  AskedTable,
  ClusterPort,
  TableAnswer,
  TableAnswers,
  TableQuestion,
  TableRefusal,
} from '@weir/cluster';
import type { Secrets } from '../../accounts/workspaces/secrets.ts';
import type { Table, TablesPlace } from '../../accounts/workspaces/tables.ts';
import { catalogOfTask } from '../../tables/catalog-of-task.ts';
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

/** Opens secrets, for those that a catalog of tables refers to. */
export type CatalogSecrets = Pick<Secrets, 'open'>;

/** What an agent has to know to find a table; that of a catalog with the secrets that it refers to. */
export async function askedTable(
  { name, uuid, bucketUrl, catalog }: Table,
  place: TablesPlace,
  secrets: CatalogSecrets,
): Promise<AskedTable> {
  return {
    tableName: name,
    tableUuid: uuid,
    ...(bucketUrl === undefined ? {} : { bucketUrl }),
    ...(await catalogOfTask(catalog, place, secrets)),
  };
}
