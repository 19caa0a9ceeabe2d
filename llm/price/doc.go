// Package price knows what models cost, as far as it is known.
//
// The table is a file beside the code, with the day on which each price was seen;
// settings lay their own prices over it. A model that is not in it has no price:
// its cost is unknown and never nothing. The package asks nobody and never rounds.
//
//	table, err := price.New(map[string]string{"local": "input=0.1 output=0.4 window=32000"})
//	…
//	if dollars, ok := table.Cost("anthropic/claude-opus-5", usage); ok {
//		fmt.Printf("$%.2f", dollars)
//	}
package price
