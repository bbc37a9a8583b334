import * as s from '../shapes/shape.ts';
import { jsonTask } from './json-task.ts';

/** The kind of job that copies schemas of another registry. */
export const schemaLinkingKind = 'schema_linking';

/** What a job of schema linking copies, and where to. */
const linkingTask = s.struct({
  pipelineId: s.text,
  configurationId: s.text,
  hostname: s.text,
  port: s.whole,
  /** Names of variables in the environment of the agent. */
  usernameEnv: s.optional(s.text),
  passwordEnv: s.optional(s.text),
  /** Instead of variables: texts that may refer to secrets. */
  username: s.optional(s.text),
  password: s.optional(s.text),
  /** The values of the secrets that the texts refer to. */
  secrets: s.optional(s.texts),
  /** Changes with the values of these secrets: jobs with an earlier value are not wanted. */
  secretsDigest: s.optional(s.text),
  usesTls: s.flag,
  isInsecure: s.flag,
  contextType: s.oneOf('DEFAULT', 'AUTO', 'CUSTOM', 'NONE'),
  /** With CUSTOM. */
  context: s.optional(s.text),
});
export type LinkingTask = s.TypeOf<typeof linkingTask>;

export const { write: writeLinkingTask, read: readLinkingTask } = jsonTask<LinkingTask>(linkingTask);

/** The scope of the jobs of a pipeline: those of another configuration or secret do not wait for the next interval. */
export function linkingScope({
  pipelineId,
  configurationId,
  secretsDigest,
}: Pick<LinkingTask, 'pipelineId' | 'configurationId' | 'secretsDigest'>): string {
  const scope = `${pipelineId} ${configurationId}`;
  return secretsDigest === undefined ? scope : `${scope} ${secretsDigest}`;
}
