/** Applies updates to documents with the operators that the MongoDB adapter uses; any other operator is an error. */
import { matches } from "./filter.ts";
import { CommandError, compare, isMembers, listOf, type Members, membersOf, unknownHere } from "./values.ts";

/** Returns the new value of a member; undefined removes it. */
type Operator = (present: unknown, operand: unknown) => unknown;

const operators: Readonly<Record<string, Operator>> = {
	$set: (_present, operand) => operand,
	$unset: () => undefined,
	$inc: (present = 0, operand) => {
		if (typeof present !== "number" || typeof operand !== "number") throw mismatch("$inc");
		return present + operand;
	},
	$min: (present, operand) => (present === undefined || compare(operand, present) < 0 ? operand : present),
	$push: (present = [], operand) => {
		const { $each, ...others } = membersOf(operand, "$push");
		if (Object.keys(others).length > 0) throw unknownHere("$push with more than $each");
		if (!Array.isArray(present)) throw mismatch("$push");
		return [...present, ...listOf($each, "$each")];
	},
	$pull: (present, operand) => {
		if (present === undefined) return undefined;
		if (!Array.isArray(present)) throw mismatch("$pull");
		const condition = membersOf(operand, "$pull");
		return present.filter((element) => !isMembers(element) || !matches(element, condition));
	},
};

export function updated(document: Members, update: Members): Members {
	const result = { ...document };
	const named = new Set<string>();
	for (const [name, members] of Object.entries(update)) {
		const operator = operators[name];
		if (!operator) throw unknownHere(`the update "${name}"`);
		for (const [member, operand] of Object.entries(membersOf(members, name))) {
			if (named.has(member)) throw new CommandError(40, "ConflictingUpdateOperators", `conflict at '${member}'`);
			if (member.includes(".") || member === "_id") throw unknownHere(`an update of "${member}"`);
			named.add(member);
			const value = operator(result[member], operand);
			if (value === undefined) delete result[member];
			else result[member] = value;
		}
	}
	if (named.size === 0) throw unknownHere("an update of nothing");
	return result;
}

function mismatch(operator: string): CommandError {
	return new CommandError(14, "TypeMismatch", `Cannot apply ${operator} to a value of another type`);
}
