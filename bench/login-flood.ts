import { createHmac } from 'node:crypto';
import { scramIterations } from '@weir/cluster';
import { Metrics, silentLog, systemClock } from '@weir/core';
import { scramKeys } from '../packages/broker/testing/sasl-client.ts';
import { FollowedEntries } from '../packages/cluster/src/entries/followed-entries.ts';
import { createSasl } from '../packages/security/src/sasl/create-sasl.ts';
import { createLoginChecks } from '../packages/security/src/sasl/login-checks.ts';
import type { Sasl, TokenAnswer } from '../packages/security/src/sasl/sasl.ts';
import { openSession } from '../packages/security/src/session/client-session.ts';
import { atMost, type Benchmark, ms, type Row } from './benchmark.ts';
import { type Effort, median } from './side-by-side.ts';

interface Scale {
  /** Clients that guess passwords continuously, and the number of their addresses. */
  readonly guessers: number;
  readonly addresses: number;
  /** Valid logins of each kind, measured alone and during the flood. */
  readonly logins: number;
}

const full: Scale = { guessers: 2_000, addresses: 16, logins: 60 };
/** Smoke test. */
const tiny: Scale = { guessers: 20, addresses: 2, logins: 3 };

const password = 'correct horse battery staple';
const goodAddress = '10.9.9.9';
const { signal: neverClosed } = new AbortController();

type ScramKeys = ReturnType<typeof scramKeys>;

type LogIn = (index: number) => Promise<void>;

/**
 * Time of valid logins while other clients guess passwords as fast as they are allowed, over the time without guessing:
 * for a client that has logged in before, for a new one, and for SCRAM. Without sockets, because the subject is the
 * cost of password checks for valid users.
 */
export const loginFlood: Benchmark = {
  name: 'login-flood',
  async run(effort: Effort): Promise<Row[]> {
    const scale = effort.turns > 1 ? full : tiny;
    const { sasl, addUser } = await stage();
    const keys = addUser('alice');
    for (let index = 0; index < scale.logins * 3; index++) addUser(`new ${index}`);
    let newcomers = 0;
    const kinds: readonly (readonly [what: string, logIn: LogIn])[] = [
      ['by PLAIN, seen before', () => byPlain(sasl, 'alice', password, goodAddress)],
      ['by PLAIN, for the first time', () => byPlain(sasl, `new ${newcomers++}`, password, goodAddress)],
      ['by SCRAM', (index) => byScram(sasl, 'alice', keys, index)],
    ];
    const before = await measured(kinds, scale.logins);
    const flood = startGuessing(sasl, scale);
    const during = await measured(kinds, scale.logins);
    const guesses = await flood.stop();
    const after = await measured(kinds, scale.logins);
    return kinds.map(([what], kind) => {
      const aloneMs = median([...before[kind]!, ...after[kind]!]);
      const amongMs = median(during[kind]!);
      return {
        what: `login ${what}, while ${scale.guessers} clients guess / alone`,
        result: amongMs / aloneMs,
        unit: 'x',
        bar: atMost(2),
        detail: `${ms(amongMs)} / ${ms(aloneMs)}, ${guesses} guesses`,
      };
    });
  },
};

async function stage() {
  const records = new FollowedEntries();
  const parts = { clock: systemClock, log: silentLog, metrics: new Metrics() };
  const checks = await createLoginChecks({
    agentSecrets: records.of('agentSecret'),
    scramCredentials: records.of('scramCredential'),
    delegationTokens: records.of('delegationToken'),
    cpuCount: 2,
    ...parts,
  });
  const sasl = createSasl({
    settings: { isRequired: true, passwordMechanisms: ['PLAIN', 'SCRAM-SHA-512'], sessionMsMax: 0 },
    checks,
    ...parts,
  });
  return {
    sasl,
    addUser(user: string): ScramKeys {
      const salt = Buffer.alloc(32, user);
      const keys = scramKeys(password, salt, scramIterations);
      const secrets = [salt, keys.storedKey, keys.serverKey].map((secret) => secret.toString('base64'));
      records.put('scramCredential', user, Buffer.from(JSON.stringify([scramIterations, ...secrets])));
      return keys;
    },
  };
}

async function measured(
  kinds: readonly (readonly [what: string, logIn: LogIn])[],
  count: number,
): Promise<number[][]> {
  const times: number[][] = kinds.map(() => []);
  for (let index = 0; index < count; index++) {
    for (const [kind, [, logIn]] of kinds.entries()) {
      const startMs = systemClock.monotonicMs();
      await logIn(index);
      times[kind]!.push(systemClock.monotonicMs() - startMs);
    }
  }
  return times;
}

/** Each guesser tries another password as soon as the last one is refused. */
function startGuessing(sasl: Sasl, { guessers, addresses }: Scale): { stop(): Promise<number> } {
  let isOn = true;
  let guesses = 0;
  const all = Array.from({ length: guessers }, async (_, guesser) => {
    while (isOn) {
      const user = guesser % 2 === 0 ? 'alice' : `nobody ${guesser}`;
      await plainAnswer(sasl, user, `guess ${guesses++}`, `10.0.0.${guesser % addresses}`);
    }
  });
  return {
    async stop() {
      isOn = false;
      await Promise.all(all);
      return guesses;
    },
  };
}

async function byPlain(sasl: Sasl, user: string, secret: string, remoteAddress: string): Promise<void> {
  succeeded(await plainAnswer(sasl, user, secret, remoteAddress));
}

function plainAnswer(sasl: Sasl, user: string, secret: string, remoteAddress: string) {
  const session = openSession({ remoteAddress, remotePort: 40_000 });
  sasl.handshake(session, 'PLAIN', 1);
  return sasl.authenticate(session, Buffer.from(`\0${user}\0${secret}`), neverClosed);
}

/** Uses precomputed client keys, because the client's work is not measured. */
async function byScram(sasl: Sasl, user: string, keys: ScramKeys, index: number): Promise<void> {
  const session = openSession({ remoteAddress: goodAddress, remotePort: 40_000 });
  sasl.handshake(session, 'SCRAM-SHA-512', 1);
  const bare = `n=${user},r=nonce${index}`;
  const serverFirst = succeeded(await sasl.authenticate(session, Buffer.from(`n,,${bare}`), neverClosed));
  const withoutProof = `c=biws,${serverFirst.split(',')[0]}`;
  const signed = `${bare},${serverFirst},${withoutProof}`;
  const signature = createHmac('sha512', keys.storedKey).update(signed).digest();
  const proof = Buffer.from(keys.clientKey.map((byte, at) => byte ^ signature[at]!)).toString('base64');
  succeeded(await sasl.authenticate(session, Buffer.from(`${withoutProof},p=${proof}`), neverClosed));
}

function succeeded(answer: TokenAnswer | 'close'): string {
  if (answer === 'close' || answer.error !== 'NONE') throw new Error('a good login failed');
  return answer.token.toString();
}
