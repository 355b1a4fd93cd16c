/** Makes a command that writes its process id to a file and waits until it is ended. */

/** Returns the command. @param file The file for its process id. */
export function waitCommand(file: string): string {
	return `node -e "require('node:fs').writeFileSync('${file}', String(process.pid)); setTimeout(() => {}, 600000)"`;
}
