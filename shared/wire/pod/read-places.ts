/** The places and words by which the platform and a container that reads a folder for a backup understand each other. */

/** The places inside of the container; both are mounted read-only. */
export const readPlaces = {
	folder: "/folder",
	/** The folder of the platform's socket. */
	platform: "/platform",
	socket: "/platform/files.sock",
} as const;

/** The last line. */
export const readToEnd = `"end"`;
