import { Failure } from '@weir/core';
import { type Address, printAddress } from '../address.ts';
import type { SaslMechanism } from './mechanisms.ts';

/** Login failures that a user can do something about. */
type LoginProblem = 'no login here' | 'mechanism not enabled' | 'refused' | 'server unproven' | 'other';

const secretAdvice: Readonly<Record<SaslMechanism, string>> = {
  PLAIN: 'check -username and -password',
  'SCRAM-SHA-256': 'check -username and -password',
  'SCRAM-SHA-512': 'check -username and -password',
  OAUTHBEARER:
    'check the issuer, the audience and the expiry of the token; use -oauth-token-file, which is read at every ' +
    'authentication, for tokens that expire',
  AWS_MSK_IAM: 'check the access key, the region, and that its policy allows kafka-cluster:Connect',
};

/** The broker was reached, and rejected the login. */
export class LoginFailed extends Failure {
  override readonly name = 'LoginFailed';
  readonly address: Address;
  readonly problem: LoginProblem;
  /** What happened, as a phrase. */
  readonly what: string;
  readonly advice: string;
  /** The mechanisms that the broker offers, if known. */
  readonly mechanisms: readonly string[];

  constructor(
    address: Address,
    mechanism: SaslMechanism,
    problem: LoginProblem,
    what: string,
    mechanisms: readonly string[] = [],
  ) {
    const advice = adviceOn(problem, mechanism, mechanisms);
    super(`${printAddress(address)}: ${what}; ${advice}`);
    this.address = address;
    this.problem = problem;
    this.what = what;
    this.advice = advice;
    this.mechanisms = mechanisms;
  }
}

function adviceOn(problem: LoginProblem, mechanism: SaslMechanism, mechanisms: readonly string[]): string {
  switch (problem) {
    case 'no login here':
      return mechanism === 'OAUTHBEARER'
        ? 'remove the token, or use the port of a SASL listener'
        : 'remove -username and -password, or use the port of a SASL listener';
    case 'mechanism not enabled':
      return mechanisms.length === 0
        ? 'the broker enables no mechanism'
        : `the broker enables ${mechanisms.join(', ')}: choose one with -sasl-mechanism`;
    case 'refused':
      return secretAdvice[mechanism];
    case 'server unproven':
      return 'the server may not be one of your brokers; check the address, and connect with -tls';
    case 'other':
      return 'run weir cli diagnose-connection to test step by step';
  }
}
