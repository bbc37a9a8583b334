import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import {
  BloblangError,
  contentOf,
  type Importer,
  type Mapping,
  MappingFailure,
  type MappingMessage,
  type MappingResult,
  parseMapping,
} from '@weir/bloblang';
import { bloblangLimits } from '@weir/bloblang/limits';
import { Failure } from '@weir/core';
import type { Deps } from '../deps.ts';
import type { Handler } from '../handler.ts';
import { cliLimits } from '../limits.ts';
import { escapeControls } from '../problem.ts';
import { readGivenFile } from './given-file.ts';

/** The exit status if a mapping cannot be used, or failed on a message. */
const failedStatus = 1;

/**
 * Runs a mapping on every line of standard input. Without a mapping, lines of standard input are mappings, and one that
 * begins with `input` sets the message that they get.
 */
export const bloblTool: Handler<'cli blobl'> = async (values, deps) => {
  const { mapping: text, 'mapping-file': path, output } = values;
  if (text !== undefined && path !== undefined)
    throw new Failure('-mapping and -mapping-file exclude each other');
  const print = output === 'json' ? asJson : asContent;
  if (text === undefined && path === undefined) return repl(deps, print);
  const bytesMax = 4 * bloblangLimits.mappingCharsMax;
  const source = text ?? (await readGivenFile('mapping-file', path!, bytesMax, deps));
  const mapping = compiled(source, path, deps);
  return mapping === undefined ? failedStatus : mapLines(mapping, deps, print);
};

type Print = (result: MappingResult, message: MappingMessage) => string | undefined;

/** Imported files are beside the one that imports them. */
function importerBeside(path: string | undefined): Importer {
  return {
    read(wanted, from) {
      const importing = from ?? path;
      const name = resolve(importing === undefined ? '.' : dirname(importing), wanted);
      return { name, text: readFileSync(name, 'utf8') };
    },
  };
}

/** The mapping; a problem is shown with its line and a caret. */
function compiled(text: string, path: string | undefined, { output }: Deps): Mapping | undefined {
  try {
    return parseMapping(text, { importer: importerBeside(path) });
  } catch (error) {
    if (!(error instanceof BloblangError)) throw error;
    const [line = '', caret = ''] = error.illustrated.split('\n');
    output.err(
      `${escapeControls(error.described)}\n${escapeControls(line.replaceAll('\t', ' '))}\n${caret.replaceAll('\t', ' ')}\n`,
    );
    return undefined;
  }
}

async function mapLines(mapping: Mapping, deps: Deps, print: Print): Promise<number> {
  let number = 0;
  let status = 0;
  for await (const line of linesOf(deps.input)) {
    number++;
    if (line.trim() === '') continue;
    if (!mapOne(mapping, { content: line }, deps, print, `line ${number}: `)) status = failedStatus;
    await deps.output.drained();
    if (deps.stop.aborted) break;
  }
  return status;
}

function mapOne(
  mapping: Mapping,
  message: MappingMessage,
  { output }: Deps,
  print: Print,
  where: string,
): boolean {
  try {
    const text = print(mapping.apply(message), message);
    if (text !== undefined) output.out(`${text}\n`);
    return true;
  } catch (error) {
    if (!(error instanceof MappingFailure)) throw error;
    output.err(`${escapeControls(`${where}${error.message}`)}\n`);
    return false;
  }
}

/** The content as a pipeline would pass it on; nothing for a deleted message. */
function asContent(result: MappingResult, message: MappingMessage): string | undefined {
  if (result.kind === 'deleted') return undefined;
  return result.kind === 'unchanged' ? String(message.content) : contentOf(result.value).toString();
}

function asJson(result: MappingResult, message: MappingMessage): string {
  if (result.kind === 'deleted') return JSON.stringify({ kind: 'deleted' });
  const metadata = Object.fromEntries(result.metadata ?? []);
  return contentOf({ kind: result.kind, content: asContent(result, message)!, metadata }).toString();
}

const replHelp =
  'Each line is a mapping, such as root.name = this.name.uppercase(). "input {...}" sets the message that it gets.';

async function repl(deps: Deps, print: Print): Promise<number> {
  const { output } = deps;
  const prompt = (): void => {
    if (output.isTerminal) output.err('> ');
  };
  if (output.isTerminal) output.err(`${replHelp}\n`);
  let message: MappingMessage = { content: '{}' };
  let status = 0;
  prompt();
  for await (const line of linesOf(deps.input)) {
    const input = /^\s*input\s+(\S.*)$/s.exec(line)?.[1];
    if (input !== undefined) message = { content: input };
    else if (line.trim() !== '') {
      const mapping = compiled(line, undefined, deps);
      if (mapping === undefined || !mapOne(mapping, message, deps, print, '')) status = failedStatus;
    }
    prompt();
    if (deps.stop.aborted) break;
  }
  // In a terminal the user saw the problems.
  return output.isTerminal ? 0 : status;
}

/** Lines of standard input, which may end without a line break. */
async function* linesOf(input: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of input) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop()!;
    for (const line of lines) yield line.replace(/\r$/, '');
    if (rest.length > cliLimits.mappedLineCharactersMax)
      throw new Failure(
        `standard input: has a line of more than ${cliLimits.mappedLineCharactersMax} characters`,
      );
  }
  rest += decoder.decode();
  if (rest !== '') yield rest;
}
