/**
 * Reads the command line of a program. One table describes it; `--help` and the refusals of anything else are made from
 * the table.
 */
import { parseArgs } from "node:util";

export interface CommandOption {
	readonly type: "boolean" | "string";
	readonly multiple?: boolean;
	readonly default?: string | boolean;
	/** The name of the value in the help; absent for a boolean. */
	readonly value?: string;
	/** The value is a whole number of at least 0. */
	readonly isNumber?: boolean;
	readonly help: string;
}

export type CommandOptions = Readonly<Record<string, CommandOption>>;

export interface CommandTable<O extends CommandOptions> {
	/** The call of the program, e.g. `npm run demo -- [<repository>]`; the help adds the options. */
	readonly usage: string;
	/** The purpose and the exit codes of the program, in whole sentences. */
	readonly summary: string;
	readonly operands?: {
		readonly help: Readonly<Record<string, string>>;
		/** The most operands; default: any number. */
		readonly most?: number;
	};
	readonly options: O;
}

type Parsed<O extends CommandOptions> = ReturnType<
	typeof parseArgs<{ args: string[]; options: O; allowPositionals: true; allowNegative: true }>
>;

/** The exit code for a command line that was not understood. */
export const notUnderstood = 2;

/**
 * Returns the options and operands of this process. Ends the process after `--help` (0), and after arguments that the
 * table does not have (2).
 */
export function readCommandLine<const O extends CommandOptions>(table: CommandTable<O>): Parsed<O> {
	const args = process.argv.slice(2);
	if (asksForHelp(args)) {
		console.log(helpText(table));
		process.exit(0);
	}
	try {
		return parseCommandLine(table, args);
	} catch (error) {
		if (!(error instanceof CommandLineError)) throw error;
		return refuseCommandLine(table, error.message);
	}
}

/** Prints the mistake and how to get help, and ends the process with 2. */
export function refuseCommandLine(table: CommandTable<CommandOptions>, sentence: string): never {
	console.error(`${sentence}\nUsage: ${table.usage}   (--help says more)`);
	process.exit(notUnderstood);
}

/** A mistake in a command line; the message is a sentence for the person who called the program. */
export class CommandLineError extends Error {
	override readonly name = "CommandLineError";
}

/** Returns the options and operands of a command line. @throws {CommandLineError} */
export function parseCommandLine<const O extends CommandOptions>(table: CommandTable<O>, args: string[]): Parsed<O> {
	const { options, operands } = table;
	const parsed = parsedArgs(options, args);
	const { values, positionals } = parsed;
	const most = operands ? (operands.most ?? Infinity) : 0;
	const [surplus] = positionals.slice(most);
	if (surplus !== undefined) throw new CommandLineError(`Unexpected argument "${surplus}"`);
	for (const [name, value] of Object.entries<unknown>(values)) {
		if (options[name]?.isNumber && !/^\d{1,15}$/.test(String(value)))
			throw new CommandLineError(`Option --${name} cannot be "${String(value)}": it must be a whole number`);
	}
	return parsed;
}

export function helpText({ usage, summary, operands, options }: CommandTable<CommandOptions>): string {
	const rows = [
		...Object.entries(operands?.help ?? {}),
		...Object.entries(options).map(([name, option]): [string, string] => [
			optionForm(name, option),
			optionHelp(option),
		]),
		["--help", "prints this and ends"] as const,
	];
	const width = Math.max(...rows.map(([form]) => form.length));
	const lines = rows.map(([form, help]) => `  ${form.padEnd(width)}  ${help}`);
	return [`Usage: ${usage}`, "", summary, "", ...lines].join("\n");
}

/** Whether help is requested; arguments behind `--` are operands. */
function asksForHelp(args: readonly string[]): boolean {
	const end = args.indexOf("--");
	return (end === -1 ? args : args.slice(0, end)).some((word) => word === "--help" || word === "-h");
}

function parsedArgs<const O extends CommandOptions>(options: O, args: string[]): Parsed<O> {
	try {
		return parseArgs({ args, options, allowPositionals: true, allowNegative: true });
	} catch (error) {
		if (!(error instanceof TypeError) || !("code" in error)) throw error;
		// The rest of the message is advice for programs that have operands which begin with a dash.
		const [sentence = ""] = error.message.split(/\.\s|\n/);
		throw new CommandLineError(sentence, { cause: error });
	}
}

function optionForm(name: string, { value, default: preset }: CommandOption): string {
	if (value !== undefined) return `--${name} <${value}>`;
	return preset === true ? `--no-${name}` : `--${name}`;
}

function optionHelp({ help, multiple, default: preset }: CommandOption): string {
	const more = [...(multiple ? ["may be given several times"] : []), ...(preset ? [`default: ${String(preset)}`] : [])];
	return typeof preset === "boolean" || more.length === 0 ? help : `${help} (${more.join("; ")})`;
}
