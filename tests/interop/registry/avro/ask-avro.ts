import { spawnSync } from 'node:child_process';
import { buildJava, shortLivedJava } from '../../apache/build.ts';

/** A question to Avro's Java library; `AvroOracle.java` documents them. */
export type AvroQuestion =
  | { readonly schema: string; readonly references?: readonly string[] }
  | { readonly reader: string; readonly writer: string }
  | { readonly json: string; readonly of: string }
  | { readonly payload: string; readonly of: string; readonly as: string };

export interface AvroDifference {
  readonly type: string;
  readonly path: string;
  readonly info: string;
}

export interface AvroAnswer {
  /** The exception, if there is one. */
  readonly error?: string;
  readonly text?: string;
  readonly resolved?: string;
  readonly differences?: readonly AvroDifference[];
  readonly payload?: string;
}

/** Asks all questions of one Java process. */
export function askAvro(questions: readonly AvroQuestion[]): AvroAnswer[] {
  const { status, error, stdout, stderr } = spawnSync(
    'java',
    [...shortLivedJava, '-cp', buildJava(import.meta.dirname), 'weir.AvroOracle'],
    {
      input: questions.map((question) => `${JSON.stringify(question)}\n`).join(''),
      encoding: 'utf8',
      maxBuffer: 256 * 1024 * 1024,
    },
  );
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`the Java program ended with ${status}:\n${stderr}`);
  const answers = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as AvroAnswer);
  if (answers.length !== questions.length) {
    throw new Error(`${answers.length} answers to ${questions.length} questions:\n${stderr}`);
  }
  return answers;
}
