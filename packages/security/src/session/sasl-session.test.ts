import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Conversation } from './conversation.ts';
import { type SaslEvent, SaslSession } from './sasl-session.ts';

const silent: Conversation = { step: () => assert.fail('unexpected SASL token') };

const event = fc.constantFrom<SaslEvent>(
  'handshakeV0',
  'handshakeV1',
  'authenticate',
  'apiVersions',
  'otherRequest',
);
const outcome = fc.constantFrom('challenge', 'done', 'failed');

test('an unauthenticated client is not served, and nothing follows a failure', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(event, outcome), { maxLength: 30 }), (steps) => {
      const session = new SaslSession();
      let hasLoggedIn = false;
      let hasEnded = false;
      for (const [happened, came] of steps) {
        const action = session.takesTokens ? 'step' : session.actionFor(happened);
        if (hasEnded) assert.equal(action, 'end');
        if (action === 'serveUnlessExpired') assert.ok(hasLoggedIn);
        if (action === 'serveUnlessRequired') assert.ok(!hasLoggedIn);
        if (action === 'serve') assert.equal(happened, 'apiVersions');
        if (action === 'begin') {
          session.begin('PLAIN', silent, happened === 'handshakeV0' ? 'raw' : 'inRequests');
        }
        if (action === 'step' && came === 'done') {
          session.succeed({ user: 'alice', mechanism: 'PLAIN', expiresMs: undefined });
          hasLoggedIn = true;
        }
        const isFailure = action === 'step' && came === 'failed';
        if (isFailure || action === 'refuseAndEnd' || action === 'end') {
          session.end();
          hasEnded = true;
        }
        assert.equal(session.isOver, hasEnded);
      }
    }),
  );
});
