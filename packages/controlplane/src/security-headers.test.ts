import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { agentConnectPath, clusterIdParameter } from '@weir/rpc';
import { startProcess } from '../testing/running-process.ts';
import { controlPlaneLimits } from './limits.ts';

const json = 'content-type: application/json\r\n';

/** One request for every way in which this server, or Node itself, answers. `%s` is the place of further headers. */
// biome-ignore format: a table
const cases: [what: string, request: string, status: number | readonly number[]][] = [
  // A page of the console where it is built, otherwise a redirection to the documents of the API.
  ['the root',                 'GET / HTTP/1.1\r\n%s\r\n',                                             [200, 303]],
  ['a probe',                  'GET /v1/status HTTP/1.1\r\n%s\r\n',                                           200],
  ['another',                  'GET /v1/readiness HTTP/1.1\r\n%s\r\n',                                        200],
  ['metrics',                  'GET /metrics HTTP/1.1\r\n%s\r\n',                                             200],
  ['the feed',                 'GET /agent-changelog.rss HTTP/1.1\r\n%s\r\n',                                 200],
  ['nothing',                  'GET /elsewhere HTTP/1.1\r\n%s\r\n',                                           404],
  ['another method',           'POST /metrics HTTP/1.1\r\n%s\r\n',                                            405],
  ['setting up',               'GET /setup HTTP/1.1\r\n%s\r\n',                                               200],
  ['joining',                  'GET /join HTTP/1.1\r\n%s\r\n',                                                200],
  ['signing in',               'GET /sign-in HTTP/1.1\r\n%s\r\n',                                             200],
  ['an unknown connection',    'GET /login/sso/nobody HTTP/1.1\r\n%s\r\n',                                    404],
  ['below a route',            'GET /setup/below HTTP/1.1\r\n%s\r\n',                                         404],
  ['the page of the API',      'GET /api/v1/docs HTTP/1.1\r\n%s\r\n',                                         200],
  ['its document',             'GET /api/v1/openapi.json HTTP/1.1\r\n%s\r\n',                                 200],
  ['an unknown operation',     'GET /api/v1/list_topic HTTP/1.1\r\n%s\r\n',                                   404],
  ['no key',                   `POST /api/v1/list_topics HTTP/1.1\r\n%s${json}content-length: 2\r\n\r\n{}`,   401],
  ['broken JSON',              `POST /api/v1/sign_in HTTP/1.1\r\n%s${json}content-length: 1\r\n\r\n{`,        400],
  ['a large body',             `POST /api/v1/sign_in HTTP/1.1\r\n%s${json}content-length: ${controlPlaneLimits.apiPublicRequestBytesMax + 1}\r\n\r\n`, 413],
  ['a form',                   'POST /api/v1/sign_in HTTP/1.1\r\n%scontent-length: 1\r\n\r\nx',               415],
  ['metrics of a cluster',     'GET /api/v1/monitoring/prometheus/virtual_clusters/vci_x HTTP/1.1\r\n%s\r\n', 401],
  ['the token of an agent',    'GET /api/v1/agent/token HTTP/1.1\r\n%s\r\n',                                  405],
  ['tools without a key',      `POST /api/v1/mcp HTTP/1.1\r\n%s${json}content-length: 2\r\n\r\n{}`,           401],
  ['tools by GET',             'GET /api/v1/mcp HTTP/1.1\r\n%s\r\n',                                          405],
  ['the documentation',        'GET /docs/mcp HTTP/1.1\r\n%s\r\n',                                            405],
  ['an agent without a key',   `GET /${agentConnectPath}?${clusterIdParameter}=vci_x HTTP/1.1\r\n%sconnection: upgrade\r\nupgrade: websocket\r\n\r\n`, 401],
  ['an expectation',           'GET /v1/status HTTP/1.1\r\n%sexpect: a miracle\r\n\r\n',                      417],
];

/** Input that is not a request, so nothing is known about its sender. */
const unreadable: [what: string, request: string, status: number][] = [
  ['no host', 'GET /v1/status HTTP/1.1\r\n\r\n', 400],
  ['an invalid length', 'GET / HTTP/1.1\r\nhost: a\r\ncontent-length: x\r\n\r\n', 400],
  ['no request', 'what is this\r\n\r\n', 400],
  [
    'long headers',
    `GET / HTTP/1.1\r\nx: ${'x'.repeat(controlPlaneLimits.controlPlaneHeaderBytesMax)}\r\n\r\n`,
    431,
  ],
];

async function answerTo(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(bytes);
  let answer = '';
  for await (const chunk of socket) {
    answer += String(chunk);
    if (answer.includes('\r\n\r\n')) break;
  }
  return answer.slice(0, answer.indexOf('\r\n\r\n') + 2);
}

for (const isBehindProxy of [false, true]) {
  test(`every answer forbids MIME sniffing, ${isBehindProxy ? 'behind a proxy' : 'directly'}`, async (t) => {
    const { port } = await startProcess(t, { isBehindProxy });
    const check = async (
      what: string,
      request: string,
      status: number | readonly number[],
      hasStrictTransport: boolean,
    ) => {
      const answer = await answerTo(port, request);
      const isExpected = [status].flat().some((one) => answer.startsWith(`HTTP/1.1 ${one} `));
      assert.ok(isExpected, `${what}: ${answer}`);
      assert.match(answer, /^x-content-type-options: nosniff\r$/im, `${what}: ${answer}`);
      assert.equal(/^strict-transport-security: /im.test(answer), hasStrictTransport, `${what}: ${answer}`);
    };
    for (const scheme of ['http', 'https']) {
      const headers = `host: localhost\r\nx-forwarded-proto: ${scheme}\r\n`;
      for (const [what, request, status] of cases)
        await check(what, request.replace('%s', headers), status, isBehindProxy && scheme === 'https');
    }
    for (const [what, request, status] of unreadable) await check(what, request, status, false);
  });
}
