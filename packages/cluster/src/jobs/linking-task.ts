import { flag, object, oneOf, optional, type Shape, text, texts, whole } from '../shapes/shape.ts';

/** The kind of job that copies schemas of another registry. */
export const schemaLinkingKind = 'schema_linking';

/** What a job of schema linking copies, and where to. */
export interface LinkingTask {
  readonly pipelineId: string;
  readonly configurationId: string;
  readonly hostname: string;
  readonly port: number;
  /** Names of variables in the environment of the agent. */
  readonly usernameEnv?: string | undefined;
  readonly passwordEnv?: string | undefined;
  /** Instead of variables: texts that may refer to secrets. */
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** The values of the secrets that the texts refer to. */
  readonly secrets?: Readonly<Record<string, string>> | undefined;
  /** Changes with the values of these secrets: jobs with an earlier value are not wanted. */
  readonly secretsDigest?: string | undefined;
  readonly usesTls: boolean;
  readonly isInsecure: boolean;
  readonly contextType: 'DEFAULT' | 'AUTO' | 'CUSTOM' | 'NONE';
  /** With CUSTOM. */
  readonly context?: string | undefined;
}

const shape: Shape<LinkingTask> = object<LinkingTask>({
  pipelineId: text,
  configurationId: text,
  hostname: text,
  port: whole,
  usernameEnv: optional(text),
  passwordEnv: optional(text),
  username: optional(text),
  password: optional(text),
  secrets: optional(texts),
  secretsDigest: optional(text),
  usesTls: flag,
  isInsecure: flag,
  contextType: oneOf('DEFAULT', 'AUTO', 'CUSTOM', 'NONE'),
  context: optional(text),
});

export function writeLinkingTask(task: LinkingTask): Uint8Array {
  return Buffer.from(JSON.stringify(task));
}

export function readLinkingTask(task: Uint8Array): LinkingTask {
  const read = JSON.parse(Buffer.from(task).toString()) as LinkingTask;
  const problem = shape(read, 'task');
  if (problem !== undefined) throw new RangeError(problem);
  return read;
}

/** The scope of the jobs of a pipeline: those of another configuration or secret do not wait for the next interval. */
export function linkingScope({
  pipelineId,
  configurationId,
  secretsDigest,
}: Pick<LinkingTask, 'pipelineId' | 'configurationId' | 'secretsDigest'>): string {
  const scope = `${pipelineId} ${configurationId}`;
  return secretsDigest === undefined ? scope : `${scope} ${secretsDigest}`;
}
