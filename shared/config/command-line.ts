/** The command line of a program: one table says what it takes, and `--help` and the refusal of anything else are made from it. */
import { parseArgs } from "node:util";

export interface CommandOption {
	readonly type: "boolean" | "string";
	readonly multiple?: boolean;
	readonly default?: string | boolean;
	/** What the value is called in the help; absent for a boolean. */
	readonly value?: string;
	/** The value is a whole number of at least 0. */
	readonly isNumber?: boolean;
	/** One line of the help. */
	readonly help: string;
}

export type CommandOptions = Readonly<Record<string, CommandOption>>;

export interface CommandTable<O extends CommandOptions> {
	/** How it is called, e.g. `npm run demo -- [<repository>]`; the help adds the options. */
	readonly usage: string;
	/** What the program does and which exit codes it has, in whole sentences. */
	readonly summary: string;
	/** Words that are no options. */
	readonly operands?: {
		readonly help: Readonly<Record<string, string>>;
		/** Default: any number of them. */
		readonly most?: number;
	};
	readonly options: O;
}

type Parsed<O extends CommandOptions> = ReturnType<
	typeof parseArgs<{ args: string[]; options: O; allowPositionals: true; allowNegative: true }>
>;

/** Exit code for a command line that was not understood. */
const notUnderstood = 2;

/** What the program was called with. Ends the process after `--help` (0), and after words that the table does not have (2). */
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

/** Says what was wrong and how to ask for help, and ends the process with 2. */
export function refuseCommandLine(table: CommandTable<CommandOptions>, sentence: string): never {
	console.error(`${sentence}\nUsage: ${table.usage}   (--help says more)`);
	process.exit(notUnderstood);
}

/** The message is a sentence for the person who called the program. */
export class CommandLineError extends Error {
	override readonly name = "CommandLineError";
}

/** @throws {CommandLineError} */
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

/** Words behind `--` are operands. */
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
