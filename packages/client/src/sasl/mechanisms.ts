/** The mechanisms that this client supports. */
export const saslMechanisms = ['PLAIN', 'SCRAM-SHA-512', 'OAUTHBEARER'] as const;
export type SaslMechanism = (typeof saslMechanisms)[number];
