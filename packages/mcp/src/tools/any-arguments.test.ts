import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { catalogue } from '@weir/api';
import { Metrics, silentLog, systemClock } from '@weir/core';
import fc from 'fast-check';
import { writeTools } from '../writes/write-tools.ts';
import { runTool, type ToolRunner } from './run-tool.ts';
import { tools } from './tools.ts';

const runner: ToolRunner = {
  caller: 'test',
  callOperation: async (name) => catalogue[name].example.output as never,
  publicUrl: () => 'http://localhost',
  clock: systemClock,
  log: silentLog,
  metrics: new Metrics(),
};

/** Arguments with the names of the tool's arguments and any values; some may even be valid. */
function anyArguments(names: readonly string[]) {
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom('orders', '1h', 'shop', 'acl_logs', 5),
  );
  return fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.dictionary(fc.constantFrom(...names), value, { maxKeys: names.length }),
  );
}

for (const tool of [...tools, ...writeTools]) {
  test(`with any arguments ${tool.name} answers or says what is wrong`, async () => {
    const { signal } = new AbortController();
    await fc.assert(
      fc.asyncProperty(anyArguments(Object.keys(tool.input.shape)), async (args) => {
        const { isError, content, structuredContent } = (await runTool(
          { tool, args, stop: signal },
          runner,
        )) as CallToolResult;
        const [first] = content as unknown as [{ readonly text: string }];
        if (isError === true) assert.match(first.text, /^(?!internal)[a-z_]+: ./);
        else tool.output.parse(structuredContent);
      }),
      { numRuns: 60 },
    );
  });
}
