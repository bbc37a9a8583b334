/** The name of the initial cluster of an installation. */
export const firstClusterName = 'vcn_default';
