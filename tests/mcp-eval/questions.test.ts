import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { questions } from './questions.ts';
import { seedCluster } from './seeded-cluster.ts';

/** Assumes four characters per token. */
const tokensPerQuestionMax = 2_500;

test('fifty questions that people ask are answered by a call or two', async (t) => {
  assert.ok(questions.length >= 50);
  const { url, headers, administratorHeaders } = await seedCluster(t);
  const connect = async (sent: Readonly<Record<string, string>>) => {
    const client = new Client({ name: 'eval', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: sent } }));
    t.after(() => client.close());
    await client.listTools();
    return client;
  };
  const [reader, administrator] = [await connect(headers), await connect(administratorHeaders)];
  let tokenCount = 0;
  let callCount = 0;
  for (const { question, calls, facts, isAdministrator } of questions) {
    const client = isAdministrator === true ? administrator : reader;
    await t.test(question, async () => {
      const texts: string[] = [];
      for (const [name, args] of calls) {
        const { content } = await client.callTool({ name, arguments: args });
        texts.push(...(content as { text: string }[]).map(({ text }) => text));
      }
      const answer = texts.join('\n');
      const tokens = Math.ceil(answer.length / 4);
      tokenCount += tokens;
      callCount += calls.length;
      for (const fact of facts) assert.match(answer, fact);
      assert.ok(tokens <= tokensPerQuestionMax, `${tokens} tokens`);
    });
  }
  t.diagnostic(
    `${questions.length} questions, ${callCount} calls, ${Math.round(tokenCount / questions.length)} tokens each`,
  );
});
