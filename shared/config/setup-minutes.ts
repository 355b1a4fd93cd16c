/** The minutes for clones and setup scripts of a launch that does not say them; the default of `pods.setup_minutes`. */
export const usualSetupMinutes = 5;
