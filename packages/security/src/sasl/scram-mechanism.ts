/**
 * Protocol value of SCRAM-SHA-512 in requests about credentials. It is the only SCRAM mechanism: SHA-256 is not
 * offered.
 */
export const scramSha512 = 2;
