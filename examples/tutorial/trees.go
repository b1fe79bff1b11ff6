package main

import "github.com/frondml/frond/data"

// tree is a binary tree in post-order: the children of a node come before it, and
// node i is a leaf when Left[i] < 0. The root is the last node.
type tree struct {
	Word        []int32 // of leaves
	Left, Right []int32
	Label       []int32 // class of each node, negative where it is not known
}

// newTree turns a tree of package data into one that a model takes.
func newTree(t *data.Tree, v *data.Vocabulary) tree {
	return tree{Word: v.IDs(t), Left: t.Left, Right: t.Right, Label: t.Label}
}

// corpus generates expressions of ListOps (Nangia and Bowman 2018) to train on, and
// others to see whether the model has learnt to evaluate them.
func corpus(train, test int) (trainSet, testSet []tree, v *data.Vocabulary, err error) {
	splits, err := data.GenerateListOpsSplits(1, train, 0, test, data.ListOpsOptions{
		MaxDepth: 4, MaxArgs: 3, MaxLength: 20, Operators: []data.ListOp{data.OpMin, data.OpMax},
	})
	if err != nil {
		return nil, nil, nil, err
	}
	v = data.BuildVocabulary(data.Tokens(splits.Train), data.VocabularyOptions{})
	for _, t := range splits.Train {
		trainSet = append(trainSet, newTree(t, v))
	}
	for _, t := range splits.Test {
		testSet = append(testSet, newTree(t, v))
	}
	return trainSet, testSet, v, nil
}
