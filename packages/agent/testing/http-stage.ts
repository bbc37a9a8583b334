import type { TestContext } from 'node:test';
import { pause } from '@weir/core/testing';
import { type AgentUnderTest, startAgentUnderTest } from './running-agent.ts';

/** An answer of an agent over HTTP. */
interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: the JSON of an answer, which assertions compare
  readonly json: any;
}

interface HttpStage extends AgentUnderTest {
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

/** An agent, and a client of its HTTP port. */
export async function httpStage(
  t: TestContext,
  differences: Parameters<typeof startAgentUnderTest>[1] = {},
): Promise<HttpStage> {
  const under = await startAgentUnderTest(t, differences);
  const { agent, clock } = under;
  return {
    ...under,
    async call(method, path, body, headers = {}) {
      const isRaw = body === undefined || typeof body === 'string' || Buffer.isBuffer(body);
      const answer = fetch(`http://127.0.0.1:${agent.httpPort}${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body: isRaw ? (body as string) : JSON.stringify(body) }),
      }).then(async (response) => ({ response, bytes: Buffer.from(await response.arrayBuffer()) }));
      // Nothing else moves the clock on which writes close files and reads wait.
      let isOver = false;
      const end = () => {
        isOver = true;
      };
      answer.then(end, end);
      while (!isOver) {
        clock.advance(10);
        await pause(0);
      }
      const { response, bytes } = await answer;
      const { status, headers: given } = response;
      const isJson = bytes.length > 0 && given.get('content-type')?.includes('json') === true;
      return { status, headers: given, bytes, json: isJson ? JSON.parse(bytes.toString()) : undefined };
    },
  };
}
