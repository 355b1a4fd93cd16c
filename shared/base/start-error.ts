/** The platform cannot start; the message is a sentence for the person who starts it. */
export class StartError extends Error {
	override readonly name: string = "StartError";
	/** The exit code of the process: 1 stands for what another start may find mended. */
	readonly exitCode: number = 1;
}

/** No start succeeds before somebody changes the configuration; supervisors do not repeat it (EX_CONFIG of sysexits.h). */
export class SettingError extends StartError {
	override readonly name: string = "SettingError";
	override readonly exitCode = 78;
}
