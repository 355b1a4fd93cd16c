/** Values that break out of quotes where somebody forgot to escape them; the same ones in each run. */
import { Random } from "../../faults/random.ts";

const pieces = [
	"'",
	"''",
	"'\\''",
	'"',
	'\\"',
	"\\",
	"\\\\",
	"$",
	"$HOME",
	"${HOME}",
	"$(touch canary)",
	"`touch canary`",
	"\n",
	"\r\n",
	"\t",
	"\r",
	" ",
	";",
	"&&",
	"|",
	"#",
	"!",
	"!!",
	"~",
	"*",
	"?",
	"[a]",
	"{a,b}",
	"(",
	")",
	"<",
	">",
	"=",
	"%s",
	"%n",
	"-n",
	"--",
	"'; touch canary; '",
	"'\nexport PATH=/evil\n'",
	"\u0001",
	"\u007f",
	"\u0080",
	"é",
	"e\u0301",
	"\u{1F511}",
	"\u2028",
	"\ufeff",
	"a",
	"B",
	"7",
	"x".repeat(300),
	"EOF",
	"\\n",
];

/** Returns the values; the first ones are the single pieces. */
export function hostileValues(count: number): string[] {
	const random = new Random(20_261_123);
	const mixed = (): string =>
		Array.from({ length: Math.ceil(random.between(0, 12)) }, () => random.pick(pieces)).join("");
	return Array.from({ length: count }, (_, index) => pieces[index] ?? mixed());
}
