import type { StatementReader } from './statement-reader.ts';
import type { MethodNode, OptionNode, ServiceNode } from './syntax-tree.ts';

/** Parses a service, from its name on. */
export function parseService(reader: StatementReader): ServiceNode {
  const { at } = reader.tokens;
  const service: ServiceNode = { name: reader.name('of a service'), at, methods: [], options: [] };
  reader.block(() => {
    if (reader.isWord('option')) service.options.push(reader.optionStatement());
    else if (reader.isWord('rpc')) service.methods.push(parseMethod(reader));
    else throw reader.unexpected('"rpc" or "option"');
  });
  return service;
}

function parseMethod(reader: StatementReader): MethodNode {
  const { tokens } = reader;
  tokens.next();
  const { at } = tokens;
  const name = reader.name('of a method');
  const input = parseMethodType(reader);
  if (!reader.isWord('returns')) throw reader.unexpected('"returns"');
  tokens.next();
  const output = parseMethodType(reader);
  const options: OptionNode[] = [];
  if (reader.isSymbol('{')) {
    reader.block(() => {
      if (!reader.isWord('option')) throw reader.unexpected('"option"');
      options.push(reader.optionStatement());
    });
  } else {
    reader.expectSymbol(';');
  }
  return {
    name,
    at,
    input: input.type,
    inputAt: input.at,
    output: output.type,
    outputAt: output.at,
    clientStreaming: input.stream,
    serverStreaming: output.stream,
    options,
  };
}

function parseMethodType(reader: StatementReader): { type: string; at: number; stream: boolean } {
  const { tokens } = reader;
  reader.expectSymbol('(');
  const stream = reader.isWord('stream');
  if (stream) tokens.next();
  const { at } = tokens;
  const type = reader.typeName(true);
  reader.expectSymbol(')');
  return { type, at, stream };
}
