import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mayBeRebound } from './rebound-name.ts';

const page = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)' };

// biome-ignore format: a table
const cases: [headers: Record<string, string>, ofThisMachine: boolean, ofNetwork: boolean][] = [
  // Addresses and own names, also in a browser.
  [{ host: '127.0.0.1:8080' },                                             false, false],
  [{ host: '10.0.0.7', ...page },                                          false, false],
  [{ host: '[::1]:8080', origin: 'http://[::1]:8080' },                    false, false],
  [{ host: 'LOCALHOST:8080', ...page },                                    false, false],
  [{ host: 'weir.localhost', ...page },                                    false, false],
  [{ host: 'Agent-1.example:8080', ...page },                              false, false],
  [{ host: 'agent-1.example.', ...page },                                  false, false],
  [{ host: 'weir:8080', ...page },                                         false, false],
  [{ host: 'host.docker.internal:8080', ...page },                         false, false],
  // Names of load balancers, for programs.
  [{ host: 'weir.svc.cluster.local:8080' },                                true,  false],
  [{ host: 'weir.example', 'user-agent': 'python-requests/2.32' },         true,  false],
  [{ host: 'weir.example', 'user-agent': 'node', 'sec-fetch-mode': 'cors', 'accept-language': '*' }, true, false],
  // Pages under a name that leads here.
  [{ host: 'pages.example:8080', origin: 'http://pages.example:8080' },    true,  true],
  [{ host: 'pages.example:8080', referer: 'http://pages.example:8080/' },  true,  true],
  [{ host: 'pages.example:8080', 'sec-fetch-site': 'same-origin' },        true,  true],
  [{ host: 'pages.example:8080', ...page },                                true,  true],
  [{ host: 'localhost.pages.example', ...page },                           true,  true],
  [{ host: '127.0.0.1.pages.example', ...page },                           true,  true],
  [{ host: 'internal.pages.example', ...page },                            true,  true],
  [{ host: 'agent-1.example@pages.example', ...page },                     true,  true],
  [{ host: '', ...page },                                                  true,  true],
];

test('pages whose name leads to the agent are recognised, and programs pass under any name', () => {
  const names = ['agent-1.example'];
  for (const [headers, ofThisMachine, ofNetwork] of cases) {
    const text = JSON.stringify(headers);
    assert.equal(mayBeRebound(headers, { names, isLoopbackOnly: true }), ofThisMachine, text);
    assert.equal(mayBeRebound(headers, { names, isLoopbackOnly: false }), ofNetwork, text);
  }
});
