/** Releases are numbered `v<N>`; every rule of the interface that starts at an earlier release applies to this one. */
export const release = 'v830';
