/** Whether a process is there, or one of a group (a negative id). One that has ended counts until somebody has asked how. */
export function isThere(pid: number): boolean {
	try {
		return process.kill(pid, 0);
	} catch {
		return false;
	}
}
