/** The TLS step: whether both sides agree on encryption, and the identity of the broker. */

import type { PeerCertificate, TLSSocket } from 'node:tls';
import type { Address } from '@weir/client';
import {
  type ClientTls,
  ConnectionFailed,
  type ConnectionProblem,
  KafkaConnection,
  openSocket,
} from '@weir/client';
import { Failure } from '@weir/core';
import type { Attempt } from './connectivity.ts';
import { explained, failed, note, ok, type Step, skipped } from './step.ts';

/**
 * The problems that belong to this step, wherever they appear: a client learns late that its certificate was rejected.
 */
const tlsProblems: ReadonlySet<ConnectionProblem> = new Set<ConnectionProblem>([
  'server speaks TLS',
  'server speaks no TLS',
  'untrusted certificate',
  'wrong certificate',
  'expired certificate',
  'no common TLS',
  'handshake refused',
  'client certificate refused',
  'closed after TLS',
]);

/** The certificate problems that the certificate's content explains. */
const certificateProblems: ReadonlySet<ConnectionProblem> = new Set<ConnectionProblem>([
  'untrusted certificate',
  'wrong certificate',
  'expired certificate',
]);

export async function shakeHands(
  address: Address,
  tls: ClientTls | undefined,
  attempt: Attempt,
): Promise<Step> {
  if (tls === undefined) return skipped('TLS', 'not enabled');
  try {
    const socket = (await openSocket({ ...attempt, address, tls })) as TLSSocket;
    const seen = `${socket.getProtocol()}, ${certificateInWords(socket.getPeerCertificate())}`;
    socket.destroy();
    if (tls.skipsVerification !== true) return ok('TLS', seen);
    return note('TLS', `${seen}, not verified`, 'remove -tls-skip-verify to verify the broker');
  } catch (error) {
    const { detail, advice } = explained(error);
    const problem = error instanceof ConnectionFailed ? error.problem : 'other';
    if (certificateProblems.has(problem)) {
      const shown = await shownCertificate(address, tls, attempt);
      return failed('TLS', shown === undefined ? detail : `${detail}: ${shown}`, advice);
    }
    if (await speaksPlainKafka(address, attempt)) {
      return failed(
        'TLS',
        'the listener does not use TLS',
        'remove -tls, or use the port of the TLS listener',
      );
    }
    return failed('TLS', detail, advice);
  }
}

/**
 * The failure of the first request, if it belongs to this step. A TLS server may answer plain text by closing, by
 * silence or with a TLS message, so only a handshake can show whether the port speaks TLS.
 */
export async function encryptionTrouble(
  error: unknown,
  address: Address,
  tls: ClientTls | undefined,
  attempt: Attempt,
): Promise<Step | undefined> {
  if (!(error instanceof ConnectionFailed)) return undefined;
  if (tls === undefined && error.problem !== 'stopped') {
    const anyServer = { skipsVerification: true };
    const answersInTls =
      error.problem === 'server speaks TLS' || (await speaksTls(address, anyServer, attempt));
    if (answersInTls) return failed('TLS', 'the listener uses TLS', 'add -tls');
  }
  return tlsProblems.has(error.problem) ? failed('TLS', error.what, error.advice) : undefined;
}

/** A handshake that is rejected with a TLS alert shows that the server speaks TLS. */
const refusalsInTls: ReadonlySet<ConnectionProblem> = new Set<ConnectionProblem>([
  'no common TLS',
  'handshake refused',
  'client certificate refused',
]);

async function speaksTls(address: Address, tls: ClientTls, attempt: Attempt): Promise<boolean> {
  try {
    (await openSocket({ ...attempt, address, tls })).destroy();
    return true;
  } catch (error) {
    if (!(error instanceof ConnectionFailed)) throw error;
    return refusalsInTls.has(error.problem);
  }
}

async function speaksPlainKafka(address: Address, attempt: Attempt): Promise<boolean> {
  try {
    (await KafkaConnection.open({ ...attempt, address, clientId: 'weir-cli' })).close();
    return true;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return false;
  }
}

/** The rejected certificate. Nothing is sent over the connection that reads it. */
async function shownCertificate(
  address: Address,
  { authorities: _, ...tls }: ClientTls,
  attempt: Attempt,
): Promise<string | undefined> {
  try {
    const options = { ...attempt, address, tls: { ...tls, skipsVerification: true } };
    const socket = (await openSocket(options)) as TLSSocket;
    const shown = certificateInWords(socket.getPeerCertificate());
    socket.destroy();
    return shown;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return undefined;
  }
}

const namesShownMax = 8;

/** `certificate of broker-1 for broker-1.example, 10.0.0.1, by Example CA, valid from … to …`. */
function certificateInWords(certificate: PeerCertificate): string {
  const { subject, issuer, subjectaltname, valid_from: from, valid_to: to } = certificate;
  if (from === undefined) return 'no certificate';
  const names = (subjectaltname ?? '').split(', ').filter(Boolean);
  const shown = names.slice(0, namesShownMax).map((name) => name.replace(/^(?:DNS|IP Address):/, ''));
  const more = names.length > namesShownMax ? ` and ${names.length - namesShownMax} more` : '';
  return [
    `certificate of ${subject?.CN ?? 'unknown subject'}`,
    names.length === 0 ? ' for no name' : ` for ${shown.join(', ')}${more}`,
    `, by ${issuer?.CN ?? issuer?.O ?? 'unknown issuer'}`,
    `, valid from ${isoDay(from)} to ${isoDay(to)}`,
  ].join('');
}

function isoDay(text: string): string {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? text : date.toISOString().slice(0, 10);
}
