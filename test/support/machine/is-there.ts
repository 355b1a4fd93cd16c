/**
 * Whether a process, or one of a group (a negative id), exists. An ended one counts until its parent has read its exit
 * status.
 */
export function isThere(pid: number): boolean {
	try {
		return process.kill(pid, 0);
	} catch {
		return false;
	}
}
